package dev.errand.agent;

import dev.errand.agent.AgentFileContext.AgentFileDiagnostics;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one agent file, read as the types that they must have. */
final class AgentFields {

  private final String file;
  private final Map<AgentFileKey, FrontMatter.Field> fields = new EnumMap<>(AgentFileKey.class);

  /**
   * @throws BrokenFile a key is given twice, or one that restricts the agent is not supported
   */
  AgentFields(FrontMatter matter, AgentFileDiagnostics diagnostics) {
    this.file = matter.file();
    var unsupported = new UnsupportedKeys(file, diagnostics);
    for (var field : matter.fields()) {
      var known = AgentFileKey.of(field.key());
      if (known.isPresent()) {
        add(known.get(), field);
      } else if (!unsupported.handle(field)) {
        diagnostics.warn(
            file,
            field.line(),
            "unknown key '" + field.key() + "'; known keys: " + AgentFileKey.known());
      }
    }
  }

  /** A text of the file and its line. */
  record Text(String text, int line) {}

  private void add(AgentFileKey key, FrontMatter.Field field) {
    var before = fields.putIfAbsent(key, field);
    if (before != null) {
      throw broken(
          field.line(),
          "'%s' is given twice, first as '%s' in line %d"
              .formatted(field.key(), before.key(), before.line()));
    }
  }

  Text required(AgentFileKey key) {
    return text(key).orElseThrow(() -> broken(1, "'" + key.spelling() + "' is missing"));
  }

  Optional<Text> text(AgentFileKey key) {
    return field(key).map(field -> text(key, field.value()));
  }

  Optional<Integer> number(AgentFileKey key, int min, int max) {
    return field(key).map(field -> number(field, min, max));
  }

  /** The texts of a list, or of one text that separates them with commas. */
  Optional<List<Text>> texts(AgentFileKey key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> text(key, entry)).toList()
                : split(key, field.value()));
  }

  /** The texts that one text separates with commas. */
  List<Text> split(AgentFileKey key, Node value) {
    var whole = text(key, value);
    return split(whole.text()).stream().map(text -> new Text(text, whole.line())).toList();
  }

  /** The field as it is written, also without a value. */
  Optional<FrontMatter.Field> raw(AgentFileKey key) {
    return Optional.ofNullable(fields.get(key));
  }

  /** The entries of a list; another value counts as a list of one entry. */
  Optional<List<Node>> listed(AgentFileKey key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list ? list.getValue() : List.of(field.value()));
  }

  /** The entries of a list. */
  List<Node> entries(AgentFileKey key) {
    var field = field(key);
    if (field.isEmpty()) {
      return List.of();
    }
    if (field.get().value() instanceof SequenceNode list) {
      return list.getValue();
    }
    throw broken(field.get().line(), "'" + key.spelling() + "' must be a list");
  }

  /** A value that must be a text and not blank. */
  Text text(AgentFileKey key, Node value) {
    if (value instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.STR)
        && !scalar.getValue().isBlank()) {
      return new Text(scalar.getValue().strip(), FrontMatter.line(value));
    }
    throw broken(FrontMatter.line(value), "'" + key.spelling() + "' must be " + expected(value));
  }

  BrokenFile broken(int line, String problem) {
    return new BrokenFile(file, line, problem);
  }

  /** The field of this key. A key without a value is refused, because its meaning is unclear. */
  private Optional<FrontMatter.Field> field(AgentFileKey key) {
    var field = Optional.ofNullable(fields.get(key));
    field
        .filter(found -> found.value().getTag().equals(Tag.NULL))
        .ifPresent(empty -> {
          throw broken(
              empty.line(), "'" + empty.key() + "' has no value; give it one or leave it out");
        });
    return field;
  }

  private int number(FrontMatter.Field field, int min, int max) {
    if (field.value() instanceof ScalarNode scalar && scalar.getTag().equals(Tag.INT)) {
      try {
        var number = Long.parseLong(scalar.getValue());
        if (number >= min && number <= max) {
          return (int) number;
        }
      } catch (NumberFormatException notDecimal) {
        // reported below
      }
    }
    throw broken(
        field.line(), "'%s' must be a whole number from %d to %d".formatted(field.key(), min, max));
  }

  private static String expected(Node value) {
    return value instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.STR)
        ? "a text; put quotes around " + scalar.getValue()
        : "a text that is not empty";
  }

  /** Splits at commas outside of parentheses. */
  private static List<String> split(String text) {
    return Arrays.stream(text.split(",(?![^(]*\\))"))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }
}
