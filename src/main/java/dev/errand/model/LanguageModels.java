package dev.errand.model;

import static java.util.stream.Collectors.toMap;

import dev.errand.model.ModelException.Code;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import dev.errand.trace.Spans;
import io.quarkus.arc.All;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The language models by name: {@code openai:gpt-5}, {@code anthropic:claude-sonnet-4-5}, {@code
 * ollama:llama3}, {@code offline:planner}. The part after the first colon is the name of the
 * provider for the model and may contain colons ({@code ollama:qwen3:8b}).
 */
@Singleton
public class LanguageModels {

  private static final int MAX_KEPT = 1024;

  private final Map<String, ModelProvider> providers;
  private final ModelMetrics metrics;
  private final Prices prices;
  private final Spans spans;
  private final Map<ModelKey, LanguageModel> made = Collections.synchronizedMap(new ModelCache());

  @Inject
  public LanguageModels(
      @All List<ModelProvider> providers, ModelMetrics metrics, Prices prices, Spans spans) {
    this.providers = providers.stream().collect(toMap(ModelProvider::name, Function.identity()));
    this.metrics = metrics;
    this.prices = prices;
    this.spans = spans;
  }

  /**
   * @param own the credentials of a tenant; null for those of the service
   */
  private record ModelKey(String name, @Nullable ProviderCredentials own) {}

  /**
   * Returns the model of this name for a tenant, usually the same object for the same name and
   * credentials. Makes no network calls.
   *
   * @throws ModelException {@code MODEL_NOT_CONFIGURED} with the message of {@link #problem}
   */
  public LanguageModel named(String name, TenantModels tenant) {
    return switch (find(name, tenant)) {
      case Unusable unusable ->
          throw new ModelException(Code.MODEL_NOT_CONFIGURED, unusable.problem());
      case Usable usable ->
          made.computeIfAbsent(new ModelKey(name, usable.own()), _ -> make(usable, name));
    };
  }

  /**
   * Returns why a tenant cannot use a model: a message for the person who chose it, which says what
   * to configure; empty if it can be used. Makes no network calls, so it does not check whether the
   * provider knows the model or accepts the key.
   */
  public Optional<String> problem(String name, TenantModels tenant) {
    return switch (find(name, tenant)) {
      case Unusable unusable -> Optional.of(unusable.problem());
      case Usable _ -> Optional.empty();
    };
  }

  /** Returns the names of the providers, sorted. */
  public List<String> providers() {
    return providers.keySet().stream().sorted().toList();
  }

  private LanguageModel make(Usable usable, String name) {
    var provider = usable.provider();
    var metered =
        new MeteredModel(provider.model(usable.model()), provider.name(), name, metrics, prices);
    return new TracedModel(metered, provider.name(), usable.model(), spans);
  }

  private FoundModel find(String name, TenantModels tenant) {
    var colon = name.indexOf(':');
    if (colon < 1 || colon == name.length() - 1) {
      return new Unusable(
          "The model '%s' is not of the form provider:name, for example offline:planner."
              .formatted(name));
    }
    var provider = providers.get(name.substring(0, colon));
    if (provider == null) {
      return new Unusable(
          "The model '%s' names an unknown provider; known are %s."
              .formatted(name, String.join(", ", providers())));
    }
    if (!tenant.allows(name)) {
      return new Unusable(
          "The tenant may not use the model '%s'; allowed are: %s."
              .formatted(name, String.join(", ", Objects.requireNonNull(tenant.allowed()))));
    }
    var own = tenant.of(provider.name()).orElse(null);
    if (own == null && tenant.ownOnly() && provider.usesCredentials()) {
      return new Unusable(
          "The tenant uses only its own credentials (models.own_only), and has none for %s; an administrator can give it some with PUT /v1/tenants/{id}."
              .formatted(provider.name()));
    }
    if (own != null && own.problem() != null) {
      return new Unusable(
          "The tenant's own credentials for %s cannot be used: %s."
              .formatted(provider.name(), own.problem()));
    }
    return usable(own == null ? provider : provider.with(own), own, name.substring(colon + 1));
  }

  private static FoundModel usable(
      ModelProvider provider, @Nullable ProviderCredentials own, String model) {
    return provider
        .problem(model)
        .<FoundModel>map(Unusable::new)
        .orElseGet(() -> new Usable(provider, own, model));
  }

  /** A cache of limited size, because clients choose the names. */
  private static final class ModelCache extends LinkedHashMap<ModelKey, LanguageModel> {

    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<ModelKey, LanguageModel> eldest) {
      return size() > MAX_KEPT;
    }
  }

  private sealed interface FoundModel {}

  private record Usable(ModelProvider provider, @Nullable ProviderCredentials own, String model)
      implements FoundModel {}

  private record Unusable(String problem) implements FoundModel {}
}
