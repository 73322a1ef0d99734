package dev.errand.tool.search;

import java.util.Map;
import java.util.Optional;

/** Which ASCII characters a character class of a regular expression stands for. */
final class AsciiClass {

  private static final String DIGITS = "0123456789";
  private static final Map<Character, String> BY_ESCAPE =
      Map.of(
          'd',
          DIGITS,
          's',
          "\t\n\u000b\f\r ",
          'w',
          range('A', 'Z') + range('a', 'z') + DIGITS + "_");

  private final String body;
  private final StringBuilder characters = new StringBuilder();
  private int at;

  private AsciiClass(String body) {
    this.body = body;
  }

  /** That of {@code \d}, {@code \s}, {@code \w}; empty for any other escape. */
  static Optional<String> ofEscape(char letter) {
    return Optional.ofNullable(BY_ESCAPE.get(letter));
  }

  /**
   * That between brackets; empty when it may stand for others, or is beyond this.
   *
   * @param body without the brackets
   */
  static Optional<String> of(String body) {
    var plain = body.chars().allMatch(character -> character >= ' ' && character <= '~');
    return plain && !body.startsWith("^") && !body.contains("[")
        ? new AsciiClass(body).read()
        : Optional.empty();
  }

  private Optional<String> read() {
    while (at < body.length()) {
      var from = body.charAt(at++);
      if (from == '\\') {
        if (!escape()) {
          return Optional.empty();
        }
      } else if (at + 1 < body.length() && body.charAt(at) == '-') {
        if (body.charAt(at + 1) == '\\') {
          return Optional.empty();
        }
        characters.append(range(from, body.charAt(at + 1)));
        at += 2;
      } else {
        characters.append(from);
      }
    }
    return Optional.of(characters.toString()).filter(text -> !text.isEmpty());
  }

  /** Ranges that begin with one are left alone. */
  private boolean escape() {
    if (at == body.length() || body.startsWith("-", at + 1) && at + 2 < body.length()) {
      return false;
    }
    var letter = body.charAt(at++);
    var known = Character.isLetterOrDigit(letter) ? ofEscape(letter) : Optional.of("" + letter);
    known.ifPresent(characters::append);
    return known.isPresent();
  }

  private static String range(char from, char to) {
    var all = new StringBuilder();
    for (char character = from; character <= to; character++) {
      all.append(character);
    }
    return all.toString();
  }
}
