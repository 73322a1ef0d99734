package dev.errand.tool.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for one name in a {@code .gitignore}: {@code *}, {@code ?}, {@code [a-z]}, {@code
 * [!a]}; a backslash escapes the next character. Matches in linear time.
 */
public final class NamePattern {

  /** Matches any number of directories. */
  static final NamePattern ANY_FOLDERS = new NamePattern("", "", null, false);

  /** The start of a matching name, if the pattern is one star or none and no other syntax. */
  private final String beginning;

  private final String ending;
  private final @Nullable Pattern regex;
  private final boolean hasStar;

  private NamePattern(String beginning, String ending, @Nullable Pattern regex, boolean hasStar) {
    this.beginning = beginning;
    this.ending = ending;
    this.regex = regex;
    this.hasStar = hasStar;
  }

  public static NamePattern of(String pattern) {
    var star = pattern.indexOf('*');
    if (pattern.chars().anyMatch(character -> "?[\\".indexOf(character) >= 0)
        || star != pattern.lastIndexOf('*')) {
      return new NamePattern("", "", compiled(pattern), false);
    }
    return star < 0
        ? new NamePattern(pattern, "", null, false)
        : new NamePattern(pattern.substring(0, star), pattern.substring(star + 1), null, true);
  }

  public boolean matches(String name) {
    if (regex != null) {
      return regex.matches(name);
    }
    return hasStar
        ? name.length() >= beginning.length() + ending.length()
            && name.startsWith(beginning)
            && name.endsWith(ending)
        : name.equals(beginning);
  }

  /** An invalid pattern such as {@code [a} matches nothing, as in git. */
  private static Pattern compiled(String pattern) {
    try {
      return Pattern.compile(regex(pattern), Pattern.DOTALL);
    } catch (PatternSyntaxException | IndexOutOfBoundsException invalid) {
      return Pattern.compile("[^\\x00-\\x{10FFFF}]");
    }
  }

  private static String regex(String pattern) {
    var regex = new StringBuilder();
    for (int at = 0; at < pattern.length(); at++) {
      switch (pattern.charAt(at)) {
        case '*' -> regex.append(".*");
        case '?' -> regex.append('.');
        case '[' -> {
          var set = CharacterClass.at(pattern, at);
          regex.append(set.map(CharacterClass::regex).orElse("["));
          at = set.map(CharacterClass::end).orElse(pattern.length()) - 1;
        }
        case '\\' -> regex.append(Pattern.quote(pattern.substring(++at, at + 1)));
        default -> regex.append(Pattern.quote(pattern.substring(at, at + 1)));
      }
    }
    return regex.toString();
  }
}
