package dev.errand.markdown;

import java.util.List;

/**
 * The lines of examples in a description, which public agent files have unindented and with labels
 * that look like keys:
 *
 * <pre>{@code
 * <example>
 * user: "Look at this"
 * </example>
 * }</pre>
 */
final class ExampleLines {

  private static final String BEGIN = "<example>";
  private static final String END = "</example>";

  private ExampleLines() {}

  /**
   * Returns for each line whether it begins inside an example. An example without an end is none.
   */
  static boolean[] of(List<String> lines) {
    var inside = new boolean[lines.size()];
    for (int at = 0; at < lines.size(); at++) {
      if (lines.get(at).lastIndexOf(BEGIN) > lines.get(at).lastIndexOf(END)) {
        var end = end(lines, at + 1);
        for (int line = at + 1; line <= end; line++) {
          inside[line] = true;
        }
      }
    }
    return inside;
  }

  /** Returns the line with the end of an example; -1 without one. */
  private static int end(List<String> lines, int from) {
    for (int at = from; at < lines.size(); at++) {
      if (lines.get(at).contains(END)) {
        return at;
      }
    }
    return -1;
  }
}
