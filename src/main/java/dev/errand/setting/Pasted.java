package dev.errand.setting;

import java.util.Optional;

/**
 * Values as people paste them or a secret file contains them: with white space, line ends or
 * quotation marks around them.
 */
public final class Pasted {

  private Pasted() {}

  /** Returns the value without white space, invisible characters and quotation marks around it. */
  public static String plain(String text) {
    var plain = trimmed(text);
    while (isQuoted(plain)) {
      plain = trimmed(plain.substring(1, plain.length() - 1));
    }
    return plain;
  }

  private static String trimmed(String text) {
    var from = 0;
    var to = text.length();
    while (from < to && isInvisible(text.charAt(from))) {
      from++;
    }
    while (to > from && isInvisible(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isInvisible(char character) {
    return Character.isWhitespace(character)
        || Character.isSpaceChar(character)
        || Character.isISOControl(character)
        || Character.getType(character) == Character.FORMAT;
  }

  private static boolean isQuoted(String text) {
    var last = text.length() - 1;
    return last > 0
        && switch (text.charAt(0)) {
          case '"' -> text.charAt(last) == '"';
          case '\'' -> text.charAt(last) == '\'';
          case '“' -> text.charAt(last) == '”';
          default -> false;
        };
  }

  /**
   * Returns why a key, which is {@link #plain}, cannot be sent, as the end of a sentence that does
   * not contain it; empty if it can.
   */
  public static Optional<String> problemOfKey(String key) {
    return key.chars()
        .filter(character -> character < '!' || character > '~')
        .boxed()
        .findFirst()
        .map(odd ->
            "must be one word of visible ASCII characters, but contains "
                + about((char) (int) odd));
  }

  private static String about(char odd) {
    if (odd == '\n' || odd == '\r') {
      return "a line break; write the key alone, on one line";
    }
    return Character.isWhitespace(odd)
        ? "a space; write the key alone, without a word such as Bearer before it"
        : "another character; copy the key again";
  }
}
