package dev.errand.agent;

import dev.errand.markdown.YamlField;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** The name of an agent: that of the key {@code name}, or else that of the file. */
final class AgentName {

  private static final Pattern FILE = Pattern.compile("(?:\\.agent)?\\.(?:md|markdown)$");

  private AgentName() {}

  /**
   * Returns the name in lower case, with hyphens in place of spaces and dots, and without
   * underscores at the beginning: {@code Backend Developer}, {@code powershell-5.1}, {@code _docs}.
   */
  static String of(String given) {
    return given
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[\\s.]+", "-")
        .replaceFirst("^[-_]+(?=.)", "");
  }

  /** Returns the name that a file gives its agent: {@code docs/Reviewer.md}. */
  static String ofFile(String file) {
    var name = file.substring(file.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    return of(FILE.matcher(name).replaceFirst(""));
  }

  /** Returns the name in these fields, be it valid or not. */
  static Optional<String> in(Collection<YamlField> fields) {
    return fields.stream()
        .filter(field -> AgentFileKey.of(field.key()).equals(Optional.of(AgentFileKey.NAME)))
        .map(field -> field.value() instanceof ScalarNode scalar ? of(scalar.getValue()) : "")
        .filter(name -> !name.isEmpty())
        .findFirst();
  }
}
