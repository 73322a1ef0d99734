package dev.errand.tool.search;

import java.util.Arrays;
import java.util.List;

/**
 * ASCII characters that must stand one behind the other: of each place, which ones may be there.
 * Looking for a run takes time linear to the text, for it is short.
 */
final class RequiredRun {

  private static final int ASCII = 128;
  private static final double BITS_OF_ASCII = 7;

  private final boolean[][] places;

  /**
   * @param places of each, the characters that may be there
   */
  RequiredRun(List<String> places) {
    this.places = places.stream().map(RequiredRun::table).toArray(boolean[][]::new);
  }

  /** How telling a run is: the more it asks for, the fewer texts have it; 0 when it is empty. */
  static double weight(List<String> places) {
    return places.stream()
        .mapToDouble(place -> BITS_OF_ASCII - Math.log(place.length()) / Math.log(2))
        .sum();
  }

  /** Whether it stands in a text whose ASCII characters are one byte each. */
  boolean isIn(byte[] text) {
    var first = places[0];
    var last = text.length - places.length;
    for (int at = 0; at <= last; at++) {
      if (text[at] >= 0 && first[text[at]] && isAt(text, at)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAt(byte[] text, int at) {
    for (int i = 1; i < places.length; i++) {
      var found = text[at + i];
      if (found < 0 || !places[i][found]) {
        return false;
      }
    }
    return true;
  }

  boolean isIn(String line) {
    var last = line.length() - places.length;
    for (int at = 0; at <= last; at++) {
      if (isAt(line, at)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAt(String line, int at) {
    for (int i = 0; i < places.length; i++) {
      var found = line.charAt(at + i);
      if (found >= ASCII || !places[i][found]) {
        return false;
      }
    }
    return true;
  }

  private static boolean[] table(String characters) {
    var table = new boolean[ASCII];
    characters.chars().forEach(character -> table[character] = true);
    return table;
  }

  @Override
  public String toString() {
    return Arrays.stream(places).map(RequiredRun::shown).toList().toString();
  }

  private static String shown(boolean[] table) {
    var text = new StringBuilder();
    for (char character = 0; character < ASCII; character++) {
      if (table[character]) {
        text.append(character);
      }
    }
    return text.toString();
  }
}
