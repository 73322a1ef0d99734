package dev.errand.tool.search;

import com.google.re2j.Pattern;
import java.util.Optional;

/**
 * A set of characters in a pattern for names: {@code [a-z]}, {@code [!a]}, {@code [^a]}, {@code
 * [[:digit:]]}; a backslash escapes the next character, and a {@code ]} at the start is one of the
 * characters.
 *
 * @param regex the same as a regular expression, which may be invalid; matches no slash if negated
 * @param end the position after the set
 */
record CharacterClass(String regex, int end) {

  /** Returns the set that starts at the {@code [} here; empty if no {@code ]} ends it. */
  static Optional<CharacterClass> at(String pattern, int start) {
    var at = start + 1;
    var isNegated = at < pattern.length() && "!^".indexOf(pattern.charAt(at)) >= 0;
    at += isNegated ? 1 : 0;
    var regex = new StringBuilder(isNegated ? "[^/" : "[");
    var first = at;
    while (at < pattern.length() && (pattern.charAt(at) != ']' || at == first)) {
      var namedEnd = namedEnd(pattern, at);
      if (namedEnd > 0) {
        regex.append(pattern, at, namedEnd);
        at = namedEnd;
        continue;
      }
      at += pattern.charAt(at) == '\\' ? 1 : 0;
      if (at < pattern.length()) {
        var isRange = pattern.charAt(at) == '-';
        regex.append(isRange ? "-" : Pattern.quote(pattern.substring(at, at + 1)));
        at++;
      }
    }
    return at < pattern.length()
        ? Optional.of(new CharacterClass(regex.append(']').toString(), at + 1))
        : Optional.empty();
  }

  /**
   * Returns the end of a class such as {@code [:digit:]} that starts here; 0 if none does, because
   * {@code [:} without {@code :]} are ordinary characters.
   */
  private static int namedEnd(String pattern, int start) {
    var close = pattern.startsWith("[:", start) ? pattern.indexOf(']', start + 2) : -1;
    return close > start + 2 && pattern.charAt(close - 1) == ':' ? close + 1 : 0;
  }
}
