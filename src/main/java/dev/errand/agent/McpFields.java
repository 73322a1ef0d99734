package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one server definition in an agent file, read as the types they must have. */
final class McpFields {

  private static final int MAX_MILLIS = 86_400_000;

  private final String file;
  private final String path;
  private final int line;
  private final Map<String, Node> fields = new LinkedHashMap<>();

  /**
   * @param path the prefix of its fields in messages, {@code mcpServers.files}
   * @throws BrokenFile the node is not a mapping, or a key is given twice
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
    throw new BrokenFile(file, FrontMatter.line(key), "a key must be a text");
  }

  /**
   * @throws BrokenFile there is another key; the message names the known ones
   */
  void refuseOthersThan(List<String> known) {
    fields.forEach((key, value) -> {
      if (known.stream().noneMatch(name -> AgentFileKey.same(name, key))) {
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

  /** The texts of a list; a single text counts as a list of one. */
  Optional<List<String>> texts(String key) {
    return field(key)
        .map(node ->
            node instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> text(entry, key)).toList()
                : List.of(text(node, key)));
  }

  /** Texts by name; empty if there is no such field. */
  Map<String, String> pairs(String key) {
    var pairs = new LinkedHashMap<String, String>();
    field(key)
        .ifPresent(node -> {
          var inner = new McpFields(file, path + "." + key, node);
          inner.fields.forEach((name, value) -> pairs.put(name, inner.text(value, name)));
        });
    return pairs;
  }

  /** A number of milliseconds. */
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
        // reported below
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

  /** The definition as a whole is not valid. */
  BrokenFile broken(String problem) {
    return new BrokenFile(file, line, "'" + path + "' " + problem);
  }

  /** One of its fields is not valid. */
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
        .filter(field -> AgentFileKey.same(field.getKey(), key))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
