package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one agent's file, each of the type it must have. */
final class AgentFields {

  private final String file;
  private final Map<AgentFileKey, FrontMatter.Field> fields = new EnumMap<>(AgentFileKey.class);

  /**
   * @throws BrokenFile a key is given twice
   */
  AgentFields(FrontMatter matter, AgentFileDiagnostics notes) {
    this.file = matter.file();
    for (var field : matter.fields()) {
      var known = AgentFileKey.of(field.key());
      if (known.isPresent()) {
        add(known.get(), field);
      } else if (AgentFileKey.isIgnored(field.key())) {
        notes.info(file, field.line(), "'" + field.key() + "' is not used here");
      } else {
        notes.warn(
            file,
            field.line(),
            "unknown key '" + field.key() + "'; known keys: " + AgentFileKey.known());
      }
    }
  }

  /** A word of the file and where it stands. */
  record Word(String text, int line) {}

  private void add(AgentFileKey key, FrontMatter.Field field) {
    var before = fields.putIfAbsent(key, field);
    if (before != null) {
      throw broken(
          field.line(),
          "'%s' is given twice, first as '%s' in line %d"
              .formatted(field.key(), before.key(), before.line()));
    }
  }

  Word required(AgentFileKey key) {
    return text(key).orElseThrow(() -> broken(1, "'" + key.word() + "' is missing"));
  }

  Optional<Word> text(AgentFileKey key) {
    return field(key).map(field -> word(key, field.value()));
  }

  Optional<Integer> number(AgentFileKey key, int min, int max) {
    return field(key).map(field -> number(field, min, max));
  }

  /** A list of words, or several in one text with commas between them. */
  Optional<List<Word>> words(AgentFileKey key) {
    return field(key)
        .map(field ->
            field.value() instanceof SequenceNode list
                ? list.getValue().stream().map(entry -> word(key, entry)).toList()
                : split(key, field.value()));
  }

  /** The words of one text with commas between them. */
  List<Word> split(AgentFileKey key, Node value) {
    var whole = word(key, value);
    return split(whole.text()).stream().map(text -> new Word(text, whole.line())).toList();
  }

  /** The entries of a list; what is no list counts as its one entry. */
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
    throw broken(field.get().line(), "'" + key.word() + "' must be a list");
  }

  /** A value that is a text and not blank. */
  Word word(AgentFileKey key, Node value) {
    if (value instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.STR)
        && !scalar.getValue().isBlank()) {
      return new Word(scalar.getValue().strip(), FrontMatter.line(value));
    }
    throw broken(FrontMatter.line(value), "'" + key.word() + "' must be " + expected(value));
  }

  BrokenFile broken(int line, String problem) {
    return new BrokenFile(file, line, problem);
  }

  /** The field; one that is named and given nothing may mean anything. */
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
        // said below
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

  /** At commas outside of parentheses. */
  private static List<String> split(String text) {
    var words = new ArrayList<String>();
    for (var word : text.split(",(?![^(]*\\))")) {
      if (!word.isBlank()) {
        words.add(word.strip());
      }
    }
    return words;
  }
}
