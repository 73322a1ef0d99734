package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.CollectionNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Keys of agent files that other products use and that have no effect here. A key that restricts
 * the agent is never ignored without a message: the file is refused if the agent would get more
 * rights than its author asked for.
 */
final class UnsupportedKeys {

  private static final List<String> WITHOUT_EFFECT =
      List.of(
          "memory",
          "background",
          "effort",
          "color",
          "initialPrompt",
          "temperature",
          "topP",
          "hidden",
          "variant",
          "category",
          "tags",
          "version",
          "author",
          "license",
          "metadata");

  /** A key with one of these words in it limits what the agent may use. */
  private static final List<String> RESTRICTING = List.of("tool", "permission", "readonly");

  /** Brings keys from another place of the file. */
  private static final String MERGE = "<<";

  /** The modes that an agent without the key has anyway. */
  private static final Set<String> UNRESTRICTED_MODES = Set.of("default", "bypasspermissions");

  /** The modes in which the user is asked about some calls. */
  private static final Set<String> ASKING_MODES = Set.of("acceptedits", "auto");

  private final String file;
  private final AgentFileDiagnostics diagnostics;

  UnsupportedKeys(String file, AgentFileDiagnostics diagnostics) {
    this.file = file;
    this.diagnostics = diagnostics;
  }

  /**
   * Handles the field if its key is one of these.
   *
   * @return whether it is
   * @throws BrokenFile without the key the agent would have more rights
   */
  boolean handle(YamlField field) {
    if (AgentFileKey.same("permissionMode", field.key())) {
      permissionMode(field);
    } else if (WITHOUT_EFFECT.stream().anyMatch(key -> AgentFileKey.same(key, field.key()))) {
      noEffect(field);
    } else if (restricts(field.key())) {
      restriction(field);
    } else {
      return false;
    }
    return true;
  }

  /** Returns whether the agent could have more rights without this key. */
  static boolean restricts(String key) {
    var plain = AgentFileKey.plain(key);
    return plain.equals(MERGE) || RESTRICTING.stream().anyMatch(plain::contains);
  }

  private void restriction(YamlField field) {
    if (!isEmpty(field)
        && !(field.value() instanceof ScalarNode scalar
            && scalar.getValue().equalsIgnoreCase("false"))) {
      throw broken(field, field.key());
    }
    noEffect(field);
  }

  private void permissionMode(YamlField field) {
    var given = field.value() instanceof ScalarNode scalar ? scalar.getValue().strip() : "";
    var mode = given.toLowerCase(Locale.ROOT);
    if (isEmpty(field) || UNRESTRICTED_MODES.contains(mode)) {
      noEffect(field);
    } else if (ASKING_MODES.contains(mode)) {
      diagnostics.warn(
          file,
          field.line(),
          "'%s: %s' has no effect: the agent uses its tools and no user is asked; limit it with 'tools' or 'permissions'"
              .formatted(field.key(), given));
    } else {
      throw broken(field, field.key() + ": " + given);
    }
  }

  private BrokenFile broken(YamlField field, String given) {
    return new BrokenFile(
        file,
        field.line(),
        "'%s' is not supported, and without it the agent would have more rights; remove the key and list what the agent may use in 'tools'"
            .formatted(given));
  }

  static boolean isEmpty(YamlField field) {
    return field.value().getTag().equals(Tag.NULL)
        || (field.value() instanceof CollectionNode<?> nodes && nodes.getValue().isEmpty());
  }

  private void noEffect(YamlField field) {
    diagnostics.info(file, field.line(), "'" + field.key() + "' has no effect");
  }
}
