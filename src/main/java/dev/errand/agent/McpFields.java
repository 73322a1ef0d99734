package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one server's definition in an agent's file, each of the type it must have. */
final class McpFields {

  private static final int MAX_MILLIS = 86_400_000;

  private final String file;
  private final String path;
  private final int line;
  private final Map<String, Node> fields = new LinkedHashMap<>();

  /**
   * @param path what its fields are named after, {@code mcpServers.files}
   * @throws BrokenFile it is no mapping, or a key is given twice
   */
  McpFields(String file, String path, Node definition) {
    this.file = file;
    this.path = path;
    this.line = FrontMatter.line(definition);
    if (!(definition instanceof MappingNode mapping)) {
      throw broken("must be lines of the form 'key: value'");
    }
    for (var pair : mapping.getValue()) {
      var key = key(file, pair.getKeyNode());
      if (fields.putIfAbsent(key, pair.getValueNode()) != null) {
        throw broken(pair.getKeyNode(), key, "is given twice");
      }
    }
  }

  static String key(String file, Node key) {
    if (key instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw new BrokenFile(file, FrontMatter.line(key), "a key must be a word");
  }

  /**
   * @throws BrokenFile there is another; the sentence names those that are known
   */
  void refuseOthersThan(List<String> known) {
    fields.forEach((key, value) -> {
      if (known.stream().noneMatch(word -> same(word, key))) {
        throw broken(value, key, "is unknown; known: " + String.join(", ", known));
      }
    });
  }

  boolean has(String key) {
    return field(key).isPresent();
  }

  Optional<String> text(String key) {
    return field(key).map(node -> text(node, key));
  }

  /** A list of texts; one text is a list of one. */
  Optional<List<String>> texts(String key) {
    return field(key)
        .map(node ->
            node instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> text(entry, key)).toList()
                : List.of(text(node, key)));
  }

  /** Texts by name; none where the field is not given. */
  Map<String, String> pairs(String key) {
    var pairs = new LinkedHashMap<String, String>();
    field(key)
        .ifPresent(node -> {
          var inner = new McpFields(file, path + "." + key, node);
          inner.fields.forEach((name, value) -> pairs.put(name, inner.text(value, name)));
        });
    return pairs;
  }

  /** A time in milliseconds. */
  Optional<Duration> time(String key) {
    return field(key).map(node -> time(node, key));
  }

  private Duration time(Node node, String key) {
    if (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.INT)) {
      try {
        var millis = Integer.parseInt(scalar.getValue());
        if (millis > 0 && millis <= MAX_MILLIS) {
          return Duration.ofMillis(millis);
        }
      } catch (NumberFormatException tooLong) {
        // said below
      }
    }
    throw broken(node, key, "must be a whole number of milliseconds from 1 to " + MAX_MILLIS);
  }

  private String text(Node node, String key) {
    if (node instanceof ScalarNode scalar) {
      if (scalar.getTag().equals(Tag.STR)) {
        return scalar.getValue();
      }
      if (!scalar.getTag().equals(Tag.NULL)) {
        throw broken(node, key, "must be a text; put quotes around " + scalar.getValue());
      }
    }
    throw broken(node, key, "must be a text");
  }

  /** The definition as a whole makes no sense. */
  BrokenFile broken(String problem) {
    return new BrokenFile(file, line, "'" + path + "' " + problem);
  }

  /** One of its fields makes no sense. */
  BrokenFile broken(String key, String problem) {
    return field(key)
        .map(node -> broken(node, key, problem))
        .orElseGet(() -> new BrokenFile(file, line, "'" + path + "." + key + "' " + problem));
  }

  private BrokenFile broken(Node node, String key, String problem) {
    return new BrokenFile(file, FrontMatter.line(node), "'" + path + "." + key + "' " + problem);
  }

  private Optional<Node> field(String key) {
    return fields.entrySet().stream()
        .filter(field -> same(field.getKey(), key))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** {@code startTimeout} may be written {@code start_timeout} and {@code start-timeout}, too. */
  private static boolean same(String one, String other) {
    return plain(one).equals(plain(other));
  }

  private static String plain(String key) {
    return key.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
  }
}
