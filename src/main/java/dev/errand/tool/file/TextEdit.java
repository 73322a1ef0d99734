package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Replaces an exact piece of a text, or explains why it cannot. */
record TextEdit(String oldText, String newText, boolean all) {

  /**
   * @param count how many pieces were replaced
   */
  record Edited(String text, int count) {}

  private static final int MAX_LINES_NAMED = 10;
  private static final Pattern LINE_NUMBER = Pattern.compile("^ *\\d+\\t");

  TextEdit {
    if (oldText.equals(newText)) {
      throw new ToolFailure("new_string: is the same as old_string, so nothing would change");
    }
  }

  Edited applyTo(String text) {
    if (hasWindowsLines(text) && !withWindowsLines().equals(this)) {
      return withWindowsLines().applyTo(text);
    }
    var places = places(text);
    if (places.isEmpty()) {
      throw new ToolFailure("old_string: was not found. " + hint(text));
    }
    if (places.size() > 1 && !all) {
      throw new ToolFailure(
          "old_string: is found %d times, on lines %s; give more of the text around it, or set replace_all"
              .formatted(places.size(), lines(text, places)));
    }
    return new Edited(text.replace(oldText, newText), places.size());
  }

  /** Models write line feeds; a file that ends its lines the other way keeps doing so. */
  private TextEdit withWindowsLines() {
    return new TextEdit(windowsLines(oldText), windowsLines(newText), all);
  }

  private static boolean hasWindowsLines(String text) {
    return text.contains("\n") && windowsLines(text).equals(text);
  }

  private static String windowsLines(String text) {
    return text.replace("\r\n", "\n").replace("\n", "\r\n");
  }

  private List<Integer> places(String text) {
    var places = new ArrayList<Integer>();
    var at = text.indexOf(oldText);
    while (at >= 0) {
      places.add(at);
      at = text.indexOf(oldText, at + oldText.length());
    }
    return places;
  }

  private static String lines(String text, List<Integer> places) {
    var named =
        places.stream()
            .limit(MAX_LINES_NAMED)
            .map(at -> String.valueOf(lineOf(text, at)))
            .collect(Collectors.joining(", "));
    return places.size() > MAX_LINES_NAMED ? named + ", …" : named;
  }

  private static long lineOf(String text, int place) {
    return text.chars().limit(place).filter(character -> character == '\n').count() + 1;
  }

  private String hint(String text) {
    if (LINE_NUMBER.matcher(oldText).find()) {
      return "Leave out the line numbers and tabs that read shows.";
    }
    if (!newText.isBlank() && text.contains(newText)) {
      return "The file has new_string already: the edit may have been made before.";
    }
    var similar = similarLine(text);
    return similar > 0
        ? "Line %d differs only in white space: copy it exactly as read shows it."
            .formatted(similar)
        : "Read the file again: the text must be exactly as it is there, with all white space.";
  }

  /** The first line of the file that, without white space, is the first one searched; 0 if none. */
  private int similarLine(String text) {
    var wanted = oldText.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst();
    var lines = text.lines().map(String::strip).toList();
    return wanted.map(line -> lines.indexOf(line) + 1).orElse(0);
  }
}
