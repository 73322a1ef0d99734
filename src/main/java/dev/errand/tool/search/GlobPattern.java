package dev.errand.tool.search;

import com.google.re2j.Pattern;
import dev.errand.tool.ToolFailure;

/**
 * A pattern for paths: {@code *} and {@code ?} match within a name, {@code **} any number of
 * directories, {@code {a,b}} alternatives; a backslash escapes the next character. A pattern
 * without a slash matches names at any depth, one with a slash the whole path. Matches in linear
 * time.
 */
final class GlobPattern {

  private static final int MAX_CHARS = 1_000;
  private static final int MAX_OPEN_BRACES = 10;

  private final Pattern regex;

  private GlobPattern(Pattern regex) {
    this.regex = regex;
  }

  /**
   * @param field the parameter that an error message names
   * @throws ToolFailure the pattern is invalid
   */
  static GlobPattern of(String field, String glob) {
    if (glob.length() > MAX_CHARS) {
      throw new ToolFailure("%s: has more than %d characters".formatted(field, MAX_CHARS));
    }
    var path = glob.startsWith("./") ? glob.substring(2) : glob;
    var anywhere = path.contains("/") ? "" : "(?:.*/)?";
    var within = path.startsWith("/") ? path.substring(1) : path;
    var regex = anywhere + new Translation(field, within).regex();
    return new GlobPattern(Pattern.compile(regex, Pattern.DOTALL));
  }

  /** Matches a path with {@code /}, relative to the directory where the search starts. */
  boolean matches(String relative) {
    return regex.matches(relative);
  }

  private static final class Translation {

    private final String field;
    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int position;
    private int openBraces;

    Translation(String field, String glob) {
      this.field = field;
      this.glob = glob;
    }

    String regex() {
      while (position < glob.length()) {
        next(glob.charAt(position++));
      }
      if (openBraces > 0) {
        throw new ToolFailure(field + ": has a { without a matching }");
      }
      return regex.toString();
    }

    private void next(char character) {
      switch (character) {
        case '*' -> stars();
        case '?' -> regex.append("[^/]");
        case '{' -> openBrace();
        case '}' -> closeBrace();
        case ',' -> regex.append(openBraces > 0 ? '|' : ',');
        case '\\' -> escaped();
        default -> literal(character);
      }
    }

    private void stars() {
      if (!take("*")) {
        regex.append("[^/]*");
        return;
      }
      while (take("*")) {}
      regex.append(take("/") ? "(?:.*/)?" : ".*");
    }

    private void openBrace() {
      if (++openBraces > MAX_OPEN_BRACES) {
        throw new ToolFailure(field + ": has too many nested {");
      }
      regex.append("(?:");
    }

    private void closeBrace() {
      if (openBraces == 0) {
        throw new ToolFailure(field + ": has a } without a matching {");
      }
      openBraces--;
      regex.append(')');
    }

    private void escaped() {
      if (position == glob.length()) {
        throw new ToolFailure(field + ": ends with a backslash");
      }
      literal(glob.charAt(position++));
    }

    private void literal(char character) {
      regex.append(Pattern.quote(String.valueOf(character)));
    }

    private boolean take(String expected) {
      if (!glob.startsWith(expected, position)) {
        return false;
      }
      position += expected.length();
      return true;
    }
  }
}
