package dev.errand.markdown;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The value of a key as it is written, without a meaning of its characters in YAML. */
final class PlainText {

  private static final Pattern COMMENT = Pattern.compile("(?:^|\\s+)#(?:\\s.*)?$");
  private static final Pattern BLOCK = Pattern.compile("[|>][-+1-9]{0,2}");
  private static final Pattern QUOTED = Pattern.compile("([\"'])(?!.*\\1\\s*,\\s*\\1)(.*)\\1");

  private PlainText() {}

  /**
   * @param line the line of the key in the file
   * @param beginning what stands behind the key
   * @param more the lines below it
   */
  static ScalarNode of(int line, String beginning, List<String> more) {
    var begin = withoutComment(beginning);
    var text =
        Stream.concat(Stream.of(BLOCK.matcher(begin).matches() ? "" : begin), more.stream())
            .map(PlainText::withoutComment)
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(" "));
    var quoted = QUOTED.matcher(text);
    var mark = Optional.of(new Mark("", 0, line - 1, 0, new int[0], 0));
    return new ScalarNode(
        Tag.STR, true, quoted.matches() ? quoted.group(2) : text, ScalarStyle.PLAIN, mark, mark);
  }

  private static String withoutComment(String line) {
    return COMMENT.matcher(line).replaceFirst("").strip();
  }
}
