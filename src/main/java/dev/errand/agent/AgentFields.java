package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.YamlField;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one agent file, read as the types that they must have. */
final class AgentFields {

  private final String file;
  private final Map<AgentFileKey, YamlField> fields = new EnumMap<>(AgentFileKey.class);

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

  String file() {
    return file;
  }

  private void add(AgentFileKey key, YamlField field) {
    var before = fields.putIfAbsent(key, field);
    if (before != null) {
      throw broken(
          field.line(),
          "'%s' is given twice, first as '%s' in line %d"
              .formatted(field.key(), before.key(), before.line()));
    }
  }

  FieldText required(AgentFileKey key) {
    return text(key).orElseThrow(() -> broken(1, "'" + key.spelling() + "' is missing"));
  }

  Optional<FieldText> text(AgentFileKey key) {
    return field(key).map(field -> text(field, key.spelling()));
  }

  Optional<Integer> number(AgentFileKey key, int min, int max) {
    return field(key).map(field -> number(field, min, max));
  }

  /** Returns the texts of a list, or of one text that separates them with commas. */
  Optional<List<FieldText>> texts(AgentFileKey key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> entry(key, entry)).toList()
                : split(text(field, key.spelling())));
  }

  /**
   * Returns the tools of a list; empty also if they are a mapping, which {@link ToolSwitches}
   * reads.
   */
  List<FieldText> tools() {
    return field(AgentFileKey.TOOLS)
        .filter(field -> !(field.value() instanceof MappingNode))
        .flatMap(_ -> texts(AgentFileKey.TOOLS))
        .orElse(List.of());
  }

  /** Returns the texts that an entry of a list separates with commas. */
  List<FieldText> split(AgentFileKey key, Node entry) {
    return split(entry(key, entry));
  }

  private static List<FieldText> split(FieldText whole) {
    return split(whole.text()).stream().map(text -> new FieldText(text, whole.line())).toList();
  }

  /** Returns the field as it is written, also without a value. */
  Optional<YamlField> raw(AgentFileKey key) {
    return Optional.ofNullable(fields.get(key));
  }

  /** Returns the entries of a list; another value counts as a list of one entry. */
  Optional<List<Node>> listed(AgentFileKey key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list ? list.getValue() : List.of(field.value()));
  }

  private FieldText entry(AgentFileKey key, Node entry) {
    return text(new YamlField(key.spelling(), YamlField.line(entry), entry), key.spelling());
  }

  /**
   * Returns the value of a field, which must be a text and not blank.
   *
   * @param place what the message calls the field
   */
  FieldText text(YamlField field, String place) {
    if (field.value() instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.STR)
        && !scalar.getValue().isBlank()) {
      return new FieldText(scalar.getValue().strip(), field.line());
    }
    throw broken(field.line(), "'" + place + "' must be " + expected(field.value()));
  }

  BrokenFile broken(int line, String problem) {
    return new BrokenFile(file, line, problem);
  }

  /** Returns the field of this key, which needs a value unless it means the same without one. */
  Optional<YamlField> field(AgentFileKey key) {
    var field = fields.get(key);
    if (field == null || !field.value().getTag().equals(Tag.NULL)) {
      return Optional.ofNullable(field);
    }
    if (key.mayBeEmpty()) {
      return Optional.empty();
    }
    throw broken(field.line(), "'" + field.key() + "' has no value; give it one or leave it out");
  }

  private int number(YamlField field, int min, int max) {
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
    return value instanceof ScalarNode scalar
            && !scalar.getTag().equals(Tag.STR)
            && !scalar.getTag().equals(Tag.NULL)
        ? "a text; put quotes around " + scalar.getValue()
        : "a text that is not empty";
  }

  /**
   * Splits at commas outside of parentheses. Brackets and quotes in which YAML does not see a list,
   * as in {@code [*]} and {@code "Read", "Grep"}, are left out.
   */
  private static List<String> split(String text) {
    var list = text.replaceFirst("^\\[(.*)]$", "$1");
    return Arrays.stream(list.split(",(?![^(]*\\))"))
        .map(part -> part.strip().replaceFirst("^([\"'])(.*)\\1$", "$2").strip())
        .filter(part -> !part.isEmpty())
        .toList();
  }
}
