package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
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
  private final Map<String, YamlField> fields = new LinkedHashMap<>();

  /**
   * @param path the prefix of its fields in messages, {@code mcpServers.files}
   * @throws BrokenFile the value is not a mapping, or a key is given twice
   */
  McpFields(String file, String path, YamlField definition) {
    this.file = file;
    this.path = path;
    this.line = definition.line();
    if (!(definition.value() instanceof MappingNode)) {
      throw broken("must be lines of the form 'key: value'");
    }
    for (var field : definition.fields(file)) {
      if (fields.putIfAbsent(field.key(), field) != null) {
        throw broken(field, "is given twice");
      }
    }
  }

  /**
   * @throws BrokenFile there is another key; the message names the known ones
   */
  void refuseOthersThan(List<String> known) {
    for (var field : fields.values()) {
      if (known.stream().noneMatch(name -> AgentFileKey.same(name, field.key()))) {
        throw broken(field, "is unknown; known: " + String.join(", ", known));
      }
    }
  }

  boolean has(String key) {
    return field(key).isPresent();
  }

  Optional<String> text(String key) {
    return field(key).map(this::text);
  }

  /** Returns the texts of a list; a single text counts as a list of one. */
  Optional<List<String>> texts(String key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> text(entry(field, entry))).toList()
                : List.of(text(field)));
  }

  private static YamlField entry(YamlField list, Node entry) {
    return new YamlField(list.key(), YamlField.line(entry), entry);
  }

  /** Texts by name; empty if there is no such field. */
  Map<String, String> pairs(String key) {
    var pairs = new LinkedHashMap<String, String>();
    field(key)
        .ifPresent(field -> {
          var inner = new McpFields(file, path + "." + field.key(), field);
          inner.fields.forEach((name, value) -> pairs.put(name, inner.text(value)));
        });
    return pairs;
  }

  /** Returns a number of milliseconds. */
  Optional<Duration> time(String key) {
    return field(key).map(this::time);
  }

  private Duration time(YamlField field) {
    if (field.value() instanceof ScalarNode scalar && scalar.getTag().equals(Tag.INT)) {
      try {
        var millis = Integer.parseInt(scalar.getValue());
        if (millis > 0 && millis <= MAX_MILLIS) {
          return Duration.ofMillis(millis);
        }
      } catch (NumberFormatException tooLong) {
        // reported below
      }
    }
    throw broken(field, "must be a whole number of milliseconds from 1 to " + MAX_MILLIS);
  }

  /** The message has no value, because values can be secrets. */
  private String text(YamlField field) {
    if (field.value() instanceof ScalarNode scalar) {
      if (scalar.getTag().equals(Tag.STR)) {
        return scalar.getValue();
      }
      if (!scalar.getTag().equals(Tag.NULL)) {
        throw broken(field, "must be a text; put quotes around the value");
      }
    }
    throw broken(field, "must be a text");
  }

  /** Returns the error for a definition that is not valid as a whole. */
  BrokenFile broken(String problem) {
    return new BrokenFile(file, line, "'" + path + "' " + problem);
  }

  /** Returns the error for a field that is not valid. */
  BrokenFile broken(String key, String problem) {
    return field(key)
        .map(field -> broken(field, problem))
        .orElseGet(() -> new BrokenFile(file, line, "'" + path + "." + key + "' " + problem));
  }

  private BrokenFile broken(YamlField field, String problem) {
    return new BrokenFile(file, field.line(), "'" + path + "." + field.key() + "' " + problem);
  }

  private Optional<YamlField> field(String key) {
    return fields.values().stream()
        .filter(field -> AgentFileKey.same(field.key(), key))
        .findFirst();
  }
}
