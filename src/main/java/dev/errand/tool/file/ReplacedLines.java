package dev.errand.tool.file;

import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A text that is replaced, in a file whose lines may end differently. Lines that stay keep their
 * line end; others get that of the line whose place they take.
 *
 * @param lineEnd the end of the line in which the text ends
 */
record ReplacedLines(String old, String lineEnd) {

  private static final Pattern LINE_END = Pattern.compile("\\r\\n|\\n|\\r");

  /**
   * Returns the new text with the line ends of the old text.
   *
   * @param text with line feeds
   */
  String with(String text) {
    if (text.indexOf('\n') < 0) {
      return text;
    }
    var before = lines(LineEnds.lineFeeds(old));
    var after = lines(text);
    var ends = ends();
    var more = after.size() - before.size();
    var top = same(before, after);
    var bottom =
        Math.min(
            same(before.reversed(), after.reversed()), Math.min(before.size(), after.size()) - top);
    var result = new StringBuilder();
    for (int line = 0; line < after.size() - 1; line++) {
      var stays = line >= after.size() - bottom;
      var last = Math.max(0, before.size() - bottom - 1);
      result.append(after.get(line)).append(ends.get(stays ? line - more : Math.min(line, last)));
    }
    return result.append(after.getLast()).toString();
  }

  private static List<String> lines(String text) {
    return Arrays.asList(text.split("\n", -1));
  }

  private static int same(List<String> one, List<String> other) {
    var count = 0;
    while (count < Math.min(one.size(), other.size()) && one.get(count).equals(other.get(count))) {
      count++;
    }
    return count;
  }

  private List<String> ends() {
    var own = LINE_END.matcher(old).results().map(MatchResult::group);
    return Stream.concat(own, Stream.of(lineEnd)).toList();
  }
}
