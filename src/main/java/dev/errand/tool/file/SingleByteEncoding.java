package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The encodings of Cyrillic, Greek and Hebrew: in the right one, about two thirds of the letters
 * are the ten most frequent ones of the alphabet, and some others hardly ever occur.
 */
enum SingleByteEncoding {
  CYRILLIC(
      "оеаинтсрвл",
      "",
      "windows-1251",
      "KOI8-R",
      "IBM866",
      "ISO-8859-5",
      "x-MacCyrillic",
      "IBM855"),
  GREEK("αάοόιίεέτσςνηήυύρ", "ΰΐϋϊ", "windows-1253", "ISO-8859-7"),
  HEBREW("יוהלארתבמש", "װױײ", "windows-1255", "ISO-8859-8");

  private static final double USUAL_SHARE = 0.6;
  private static final double MIN_SHARE = 0.45;

  /**
   * A smaller difference says nothing: the more frequent encoding, which is listed first, counts.
   */
  private static final double MARGIN = 0.1;

  private static final int MIN_LETTERS = 5;
  private static final int MIN_DISTINCT = 4;

  /** What the opinion of the detector counts if two alphabets are equally likely. */
  private static final double DETECTED = 0.05;

  private final String frequent;
  private final String rare;
  private final List<Charset> charsets;

  SingleByteEncoding(String frequent, String rare, String... charsets) {
    this.frequent = frequent;
    this.rare = rare;
    this.charsets = Arrays.stream(charsets).map(Charset::forName).toList();
  }

  private record Guess(Charset charset, double share) {}

  /**
   * Returns the encoding in which the content reads best; empty if it is no such text.
   *
   * @param detected what a general detector takes it for; counts for less typical text
   */
  static Optional<Charset> of(byte[] content, Optional<Charset> detected, boolean isWhole) {
    return Stream.of(values())
        .map(alphabet -> alphabet.guesses(content, detected, isWhole))
        .max(Comparator.comparingDouble(SingleByteEncoding::best))
        .flatMap(guesses ->
            guesses.stream().filter(guess -> guess.share() >= best(guesses) - MARGIN).findFirst())
        .map(Guess::charset);
  }

  private static double best(List<Guess> guesses) {
    return guesses.stream().mapToDouble(Guess::share).max().orElse(0);
  }

  private List<Guess> guesses(byte[] content, Optional<Charset> detected, boolean isWhole) {
    var isDetected = detected.filter(charsets::contains).isPresent();
    var more = isDetected ? DETECTED : 0;
    var least = isDetected ? MIN_SHARE : USUAL_SHARE;
    return charsets.stream()
        .filter(charset -> TextEncoding.decodes(charset, content, isWhole))
        .map(charset -> new Guess(charset, share(new String(content, charset)) + more))
        .filter(guess -> guess.share() >= least)
        .toList();
  }

  static boolean knows(Charset charset) {
    return Stream.of(values()).anyMatch(alphabet -> alphabet.charsets.contains(charset));
  }

  /** Returns the share of frequent letters; 0 if the text does not consist of words. */
  private double share(String text) {
    var words = ForeignWords.of(text);
    var letters =
        text.toLowerCase(Locale.ROOT)
            .chars()
            .filter(character -> character > 0x7F && Character.isLetter(character))
            .toArray();
    if (!words.areNotLatin()
        || letters.length < MIN_LETTERS
        || Arrays.stream(letters).distinct().count() < MIN_DISTINCT) {
      return 0;
    }
    var common = Arrays.stream(letters).filter(letter -> frequent.indexOf(letter) >= 0).count();
    var odd = Arrays.stream(letters).filter(letter -> rare.indexOf(letter) >= 0).count();
    return (double) (common - odd) / (letters.length + words.strange());
  }
}
