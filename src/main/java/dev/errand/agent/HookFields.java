package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads the parts of the hooks of a file as the types that they must have. Each method throws
 * {@link BrokenFile} with the line of the part, and with its path in the message.
 */
record HookFields(String file) {

  /** Returns the entries of a mapping, which may have these keys only. */
  Map<String, YamlField> known(YamlField field, String path, List<String> keys) {
    var entries = mapping(field, path);
    for (var entry : entries.values()) {
      if (!keys.contains(entry.key())) {
        throw broken(
            entry,
            path + "." + entry.key(),
            "is not supported; supported: " + String.join(", ", keys));
      }
    }
    return entries;
  }

  /** Returns the entries of a mapping by key. */
  Map<String, YamlField> mapping(YamlField field, String path) {
    if (!(field.value() instanceof MappingNode)) {
      throw broken(field, path, "must be lines of the form 'key: value'");
    }
    var entries = new LinkedHashMap<String, YamlField>();
    for (var entry : field.fields(file)) {
      if (entries.put(entry.key(), entry) != null) {
        throw broken(entry, path, "has '" + entry.key() + "' twice");
      }
    }
    return entries;
  }

  /** Returns the entries of a list, each with its own line. */
  List<YamlField> entries(YamlField field, String path) {
    if (field.value() instanceof SequenceNode list) {
      return list.getValue().stream()
          .map(entry -> new YamlField(field.key(), YamlField.line(entry), entry))
          .toList();
    }
    throw broken(field, path, "must be a list");
  }

  /** Returns a text that is not blank. */
  String text(YamlField field, String path) {
    if (field.value() instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.STR)
        && !scalar.getValue().isBlank()) {
      return scalar.getValue();
    }
    throw broken(field, path, "must be a text");
  }

  /** Returns the error for a field, with its line. */
  BrokenFile broken(YamlField field, String path, String problem) {
    return new BrokenFile(file, field.line(), "'" + path + "' " + problem);
  }
}
