package dev.errand.permission;

/**
 * A text pattern in which {@code *} matches any number of characters. Matches without backtracking.
 *
 * @param pattern for example {@code src/*} or {@code *.example.com}
 */
public record Wildcard(String pattern) {

  public boolean matches(String text) {
    if (pattern.equals("*")) {
      return true;
    }
    if (!pattern.contains("*")) {
      return pattern.equals(text);
    }
    var pieces = pattern.split("\\*", -1);
    var last = pieces[pieces.length - 1];
    var end = text.length() - last.length();
    var at = pieces[0].length();
    if (at > end || !text.startsWith(pieces[0]) || !text.endsWith(last)) {
      return false;
    }
    for (int i = 1; i < pieces.length - 1; i++) {
      var found = text.indexOf(pieces[i], at);
      if (found < 0 || found + pieces[i].length() > end) {
        return false;
      }
      at = found + pieces[i].length();
    }
    return true;
  }
}
