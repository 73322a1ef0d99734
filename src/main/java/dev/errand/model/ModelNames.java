package dev.errand.model;

import dev.errand.tenant.TenantModels;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithParentName;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.spi.Converter;
import org.jspecify.annotations.Nullable;

/**
 * The names of models as clients and agent files give them: {@code provider:name}, an alias, or
 * {@code inherit}. The operator defines aliases; {@code haiku}, {@code sonnet}, {@code opus} and
 * {@code fable} mean {@code inherit} until they are defined. Sessions always store {@code
 * provider:name}.
 */
@Singleton
public class ModelNames {

  private static final String INHERITED = "inherit";

  /** The aliases that agents and models of other products use. */
  private static final SortedSet<String> WELL_KNOWN =
      ignoringCase(List.of("fable", "haiku", "opus", "sonnet"));

  private final LanguageModels models;
  private final SortedMap<String, String> aliases = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  public ModelNames(LanguageModels models, ModelAliases aliases) {
    this.models = models;
    this.aliases.putAll(aliases.models());
  }

  /** Returns whether the name means the model of the parent. */
  public static boolean isInherited(String name) {
    return name.strip().equalsIgnoreCase(INHERITED);
  }

  /** Returns whether the name is a well-known alias that the operator has not defined. */
  public boolean isUnset(String name) {
    return WELL_KNOWN.contains(name.strip()) && !aliases.containsKey(name.strip());
  }

  /** Returns whether the operator has defined the name as an alias. */
  public boolean isAlias(String name) {
    return aliases.containsKey(name.strip());
  }

  /** Returns the aliases that can be used, sorted. */
  public List<String> known() {
    var known = ignoringCase(aliases.keySet());
    known.addAll(WELL_KNOWN);
    return List.copyOf(known);
  }

  /**
   * Resolves a name; {@code inherit} means {@code inherited}, and so does an alias that {@link
   * #isUnset}.
   */
  public String resolve(String name, String inherited) {
    return isInherited(name) || isUnset(name) ? inherited : resolve(name);
  }

  /**
   * Returns what a caller should know about the model that it got.
   *
   * @param name as it was asked for
   * @param used the model that it was resolved to
   */
  public Optional<String> note(@Nullable String name, String used) {
    return name == null || !isUnset(name)
        ? Optional.empty()
        : Optional.of(
            "the model alias '%s' is not configured (errand.model-aliases.%s), so the model of the session was used: %s"
                .formatted(name.strip(), name.strip().toLowerCase(Locale.ROOT), used));
  }

  /** Resolves a name; a name that is not an alias is returned unchanged. */
  public String resolve(String name) {
    return aliases.getOrDefault(name.strip(), name);
  }

  /**
   * Returns why the model of this name cannot be used, as {@link LanguageModels#problem} describes.
   */
  public Optional<String> problem(String name) {
    return problem(name, TenantModels.OF_SERVICE);
  }

  /** Returns why a tenant cannot use a model; empty if it can. */
  public Optional<String> problem(String name, TenantModels tenant) {
    if (isInherited(name) || isUnset(name)) {
      return Optional.empty();
    }
    var model = resolve(name);
    return model.contains(":")
        ? models.problem(model, tenant)
        : Optional.of(
            "The model '%s' is not of the form provider:name, for example offline:planner, and it is not an alias; known aliases: %s."
                .formatted(name, String.join(", ", known())));
  }

  /**
   * Returns why a name cannot be used outside of a session, so that {@code inherit} means no model;
   * empty if it can.
   */
  Optional<String> problemWithoutSession(String name) {
    return isUnset(name)
        ? Optional.of(
            "The model alias '%s' is not configured; set errand.model-aliases.%s to provider:name."
                .formatted(name.strip(), name.strip().toLowerCase(Locale.ROOT)))
        : problem(name);
  }

  private static SortedSet<String> ignoringCase(Collection<String> names) {
    var sorted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    sorted.addAll(names);
    return sorted;
  }

  /** The short names for models. */
  @ConfigMapping(prefix = "errand.model-aliases")
  public interface ModelAliases {

    /**
     * {@code errand.model-aliases.haiku=anthropic:claude-haiku-4-5}: a name, in upper or lower
     * case, that can be used in place of a model. Default none.
     */
    @WithParentName
    Map<String, @WithConverter(ModelNameConverter.class) String> models();

    /** Reads the name of a model with its provider; anything else stops the start. */
    final class ModelNameConverter implements Converter<String> {

      private static final long serialVersionUID = 1;

      private static final Pattern NAME = Pattern.compile("[^:\\s]+:\\S+");

      @Override
      public String convert(String value) {
        if (!NAME.matcher(value).matches()) {
          throw new IllegalArgumentException("'%s' must be provider:name".formatted(value));
        }
        return value;
      }
    }
  }
}
