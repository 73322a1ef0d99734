package dev.errand.model;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Names of models as clients and agent files give them: {@code provider:name}, an alias of the
 * operator, or {@code inherit}. Sessions always store {@code provider:name}.
 */
@ApplicationScoped
public class ModelNames {

  private static final String INHERITED = "inherit";

  private final LanguageModels models;
  private final SortedMap<String, String> aliases = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  public ModelNames(LanguageModels models, ModelAliases aliases) {
    this.models = models;
    this.aliases.putAll(aliases.models());
  }

  /** Whether the name means the model of the parent. */
  public static boolean isInherited(String name) {
    return name.strip().equalsIgnoreCase(INHERITED);
  }

  /** Resolves a name; {@code inherit} means {@code inherited}. */
  public String resolve(String name, String inherited) {
    return isInherited(name) ? inherited : resolve(name);
  }

  /** Resolves a name; a name that is not an alias is returned unchanged. */
  public String resolve(String name) {
    return aliases.getOrDefault(name.strip(), name);
  }

  /** Why the model of this name cannot be used, as {@link LanguageModels#problem} describes. */
  public Optional<String> problem(String name) {
    if (isInherited(name)) {
      return Optional.empty();
    }
    var model = resolve(name);
    return model.contains(":")
        ? models.problem(model)
        : Optional.of(
            "The model '%s' is not of the form provider:name, for example offline:planner, and it is not an alias; known aliases: %s."
                .formatted(name, listed(aliases.keySet())));
  }

  private static String listed(Collection<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }
}
