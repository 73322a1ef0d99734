package dev.errand.tool.search;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the size of a regular expression after its counted repetitions have been expanded, as
 * the engine does: {@code ((a{1000}){1000}){1000}} would exhaust the memory. The estimate is never
 * too small: a count after a group multiplies the whole expression.
 */
final class RegexSize {

  private static final Pattern COUNT = Pattern.compile("\\{(\\d{1,9})(?:,(\\d{0,9}))?}");

  /** One character or class, not a group or an escape that may hide one. */
  private static final Pattern SINGLE = Pattern.compile("(?:(?:^|[^\\\\])[\\w.\\]]|\\\\[dDwWsS])$");

  private RegexSize() {}

  static boolean exceeds(int max, String regex) {
    var sum = (double) regex.length();
    var product = 1.0;
    var counts = COUNT.matcher(regex);
    while (counts.find()) {
      var count = Math.max(number(counts.group(1)), number(counts.group(2)));
      var before = regex.substring(Math.max(0, counts.start() - 2), counts.start());
      if (SINGLE.matcher(before).find()) {
        sum += count;
      } else {
        product *= Math.max(1, count);
      }
    }
    return sum * product > max;
  }

  private static double number(@Nullable String digits) {
    return digits == null || digits.isEmpty() ? 0 : Double.parseDouble(digits);
  }
}
