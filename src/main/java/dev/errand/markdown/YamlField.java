package dev.errand.markdown;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * A key of a YAML text and its value. All lines are those of the file, from 1.
 *
 * @param line the line of the key; a problem of the field is reported there, also when the value
 *     begins further down
 */
public record YamlField(String key, int line, Node value) {

  /**
   * Returns the keys and values of a YAML text, in its order; a key may occur twice.
   *
   * @param first the line of the file in which the text begins
   * @throws BrokenFile the text is not valid YAML, or something other than keys and values
   */
  public static List<YamlField> read(String file, int first, String yaml) {
    var node = compose(file, first, yaml);
    return node == null ? List.of() : of(file, line(node), node);
  }

  /**
   * Returns the keys and values of the value of this field.
   *
   * @throws BrokenFile the value is not made of keys and values
   */
  public List<YamlField> fields(String file) {
    return of(file, line, value);
  }

  private static List<YamlField> of(String file, int line, Node node) {
    if (!(node instanceof MappingNode mapping)) {
      throw new BrokenFile(file, line, "must be lines of the form 'key: value'");
    }
    return mapping.getValue().stream()
        .map(pair ->
            new YamlField(
                key(file, pair.getKeyNode()), line(pair.getKeyNode()), pair.getValueNode()))
        .toList();
  }

  /** Returns the line in which a value begins. */
  public static int line(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
  }

  private static String key(String file, Node key) {
    if (key instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw new BrokenFile(file, line(key), "a key must be a text");
  }

  /** Empty lines take the place of what is before the text, so that the parser counts them. */
  private static @Nullable Node compose(String file, int first, String yaml) {
    var text = "\n".repeat(first - 1) + yaml;
    try {
      return new Compose(LoadSettings.builder().build()).composeString(text).orElse(null);
    } catch (MarkedYamlEngineException fault) {
      var line = fault.getProblemMark().map(Mark::getLine).orElse(first - 1) + 1;
      throw new BrokenFile(file, line, "is not valid YAML: " + sentence(fault));
    } catch (YamlEngineException fault) {
      throw new BrokenFile(
          file,
          lineOfControl(text, first),
          "is not valid YAML: it has characters that YAML does not allow");
    } catch (StackOverflowError deep) {
      throw new BrokenFile(file, first, "is not valid YAML: it is nested too deeply");
    }
  }

  private static int lineOfControl(String text, int first) {
    var line = 1;
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      if (!StreamReader.isPrintable(text.codePointAt(at))) {
        return line;
      }
      line += text.charAt(at) == '\n' ? 1 : 0;
    }
    return first;
  }

  /** Returns the message of the parser, and advice on the most common mistake. */
  private static String sentence(MarkedYamlEngineException fault) {
    var problem = fault.getProblem();
    return problem.startsWith("mapping values are not allowed")
        ? problem + "; a text with ': ' in it needs quotes"
        : problem;
  }
}
