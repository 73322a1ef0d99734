package dev.errand.permission;

import com.google.re2j.Pattern;

/**
 * A text pattern in which {@code *} matches any number of characters. Matches in linear time.
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
    var regex = Pattern.quote(pattern).replace("\\*", ".*");
    return Pattern.compile(regex, Pattern.DOTALL).matches(text);
  }
}
