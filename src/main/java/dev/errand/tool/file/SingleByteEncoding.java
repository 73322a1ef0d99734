package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The encodings of Cyrillic, Greek and Hebrew: in the right one, about two thirds of the letters
 * are the ten most frequent ones of the alphabet.
 */
enum SingleByteEncoding {
  CYRILLIC(
      "оеаинтсрвл", "windows-1251", "KOI8-R", "IBM866", "ISO-8859-5", "x-MacCyrillic", "IBM855"),
  GREEK("αάοόιίεέτσςνηήυύρ", "windows-1253", "ISO-8859-7"),
  HEBREW("יוהלארתבמש", "windows-1255", "ISO-8859-8");

  private static final double USUAL_SHARE = 0.6;
  private static final double MIN_SHARE = 0.45;

  /**
   * A smaller difference says nothing: the more frequent encoding, which is listed first, counts.
   */
  private static final double MARGIN = 0.1;

  private static final int MIN_LETTERS = 5;
  private static final int MIN_DISTINCT = 4;

  private final String frequent;
  private final List<Charset> charsets;

  SingleByteEncoding(String frequent, String... charsets) {
    this.frequent = frequent;
    this.charsets = Arrays.stream(charsets).map(Charset::forName).toList();
  }

  private record Guess(Charset charset, double share) {}

  /**
   * Returns the encoding in which the content reads best; empty if it is no such text.
   *
   * @param detected what a general detector takes it for; counts for less typical text
   */
  static Optional<Charset> of(byte[] content, Optional<Charset> detected, boolean isWhole) {
    var guesses =
        Stream.of(values())
            .flatMap(alphabet ->
                alphabet
                    .guesses(content, isWhole)
                    .filter(guess ->
                        guess.share() >= USUAL_SHARE
                            || detected.filter(alphabet.charsets::contains).isPresent()))
            .toList();
    var best = guesses.stream().mapToDouble(Guess::share).max().orElse(0);
    return guesses.stream()
        .filter(guess -> guess.share() >= Math.max(MIN_SHARE, best - MARGIN))
        .findFirst()
        .map(Guess::charset);
  }

  private Stream<Guess> guesses(byte[] content, boolean isWhole) {
    return charsets.stream()
        .filter(charset -> TextEncoding.decodes(charset, content, isWhole))
        .map(charset -> new Guess(charset, share(new String(content, charset))));
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
    return (double) common / (letters.length + words.strange());
  }
}
