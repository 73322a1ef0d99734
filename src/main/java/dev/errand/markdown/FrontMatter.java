package dev.errand.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * A file with YAML keys and values between two lines {@code ---}, and a text below them. Lines end
 * with {@code \n}.
 *
 * @param fields in the order of the file; a key may occur twice
 */
public record FrontMatter(String file, List<Field> fields, String body) {

  private static final String FENCE = "---";

  /** YAML counts lines from 0, and its first line is the second line of the file. */
  private static final int FIRST_LINE = 2;

  /** One key with its value. */
  public record Field(String key, int line, Node value) {}

  /**
   * @throws BrokenFile there is no front matter, or it is not valid YAML
   */
  public static FrontMatter of(String file, String text) {
    var lines = lines(text);
    var end = end(file, lines);
    var yaml = String.join("\n", lines.subList(1, end));
    var body = String.join("\n", lines.subList(end + 1, lines.size()));
    return new FrontMatter(file, fields(file, FIRST_LINE, yaml), body.strip());
  }

  /**
   * Returns the text with another line at the end of its keys.
   *
   * @throws BrokenFile there is no front matter
   */
  public static String withLine(String file, String text, String line) {
    var lines = new ArrayList<>(lines(text));
    lines.add(end(file, lines), line);
    return String.join("\n", lines);
  }

  private static List<String> lines(String text) {
    return List.of(text.split("\n", -1));
  }

  /** Returns the position of the second fence. */
  private static int end(String file, List<String> lines) {
    if (!isFence(lines.getFirst())) {
      throw new BrokenFile(file, 1, "must begin with a line '---' and have its keys below it");
    }
    return IntStream.range(1, lines.size())
        .filter(line -> isFence(lines.get(line)))
        .findFirst()
        .orElseThrow(() -> new BrokenFile(file, 1, "the second line '---' is missing"));
  }

  private static boolean isFence(String line) {
    return line.stripTrailing().equals(FENCE);
  }

  /** The line of a value in the file. */
  public static int line(Node node) {
    return line(FIRST_LINE, node);
  }

  private static int line(int first, Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0) + first;
  }

  /**
   * The keys and values of a YAML text.
   *
   * @param first the line of the file in which the text begins
   * @throws BrokenFile the text is not valid YAML, or something other than keys and values
   */
  public static List<Field> fields(String file, int first, String yaml) {
    var node = compose(file, first, yaml);
    return node == null ? List.of() : fields(file, first, node);
  }

  /**
   * The keys and values of a value.
   *
   * @param first the line of the file in which its YAML text begins
   * @throws BrokenFile the value is not made of keys and values
   */
  public static List<Field> fields(String file, int first, Node node) {
    if (!(node instanceof MappingNode mapping)) {
      throw new BrokenFile(file, line(first, node), "must be lines of the form 'key: value'");
    }
    return mapping.getValue().stream()
        .map(pair ->
            new Field(
                key(file, first, pair.getKeyNode()),
                line(first, pair.getKeyNode()),
                pair.getValueNode()))
        .toList();
  }

  private static String key(String file, int first, Node key) {
    if (key instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw new BrokenFile(file, line(first, key), "a key must be a text");
  }

  private static @Nullable Node compose(String file, int first, String yaml) {
    try {
      return new Compose(LoadSettings.builder().build()).composeString(yaml).orElse(null);
    } catch (MarkedYamlEngineException fault) {
      var line = fault.getProblemMark().map(Mark::getLine).orElse(0) + first;
      throw new BrokenFile(file, line, "is not valid YAML: " + sentence(fault));
    } catch (YamlEngineException fault) {
      throw new BrokenFile(
          file, first, "is not valid YAML: it has characters that YAML does not allow");
    } catch (StackOverflowError deep) {
      throw new BrokenFile(file, first, "is not valid YAML: it is nested too deeply");
    }
  }

  /** The message of the parser, and advice on the most common mistake. */
  private static String sentence(MarkedYamlEngineException fault) {
    var problem = fault.getProblem();
    return problem.startsWith("mapping values are not allowed")
        ? problem + "; a text with ': ' in it needs quotes"
        : problem;
  }
}
