package dev.errand.model;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Models as people name them: {@code provider:name}, one of the operator's aliases, or {@code
 * inherit} (G4). What is stored with a session is always {@code provider:name}.
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

  /** Whether it means the parent's model. */
  public static boolean isInherited(String name) {
    return name.strip().equalsIgnoreCase(INHERITED);
  }

  /** The model that {@code name} means, where {@code inherit} means {@code inherited}. */
  public String resolve(String name, String inherited) {
    return isInherited(name) ? inherited : resolve(name);
  }

  /** The model that {@code name} means; a name that is no alias stands for itself. */
  public String resolve(String name) {
    return aliases.getOrDefault(name.strip(), name);
  }

  /** Why {@code name} means no usable model, as {@link LanguageModels#problem} tells it. */
  public Optional<String> problem(String name) {
    if (isInherited(name)) {
      return Optional.empty();
    }
    var model = resolve(name);
    return model.contains(":")
        ? models.problem(model)
        : Optional.of(
            "The model '%s' is not of the form provider:name, for example offline:planner, and no alias; known aliases: %s."
                .formatted(name, listed(aliases.keySet())));
  }

  private static String listed(Collection<String> words) {
    return words.isEmpty() ? "none" : String.join(", ", words);
  }
}
