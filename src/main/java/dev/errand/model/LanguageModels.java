package dev.errand.model;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import dev.errand.model.ModelException.Code;
import dev.errand.trace.Spans;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The language models by name: {@code openai:gpt-5}, {@code anthropic:claude-sonnet-4-5}, {@code
 * ollama:llama3}, {@code offline:planner}. What follows the first colon is the provider's own name
 * and may hold colons itself ({@code ollama:qwen3:8b}).
 */
@ApplicationScoped
public class LanguageModels {

  private static final int MOST_KEPT = 256;

  private final Map<String, ModelProvider> providers;
  private final ModelMetrics metrics;
  private final Spans spans;
  private final Map<String, LanguageModel> made = Collections.synchronizedMap(new Kept());

  @Inject
  public LanguageModels(@All List<ModelProvider> providers, ModelMetrics metrics, Spans spans) {
    this.providers = providers.stream().collect(toMap(ModelProvider::name, Function.identity()));
    this.metrics = metrics;
    this.spans = spans;
  }

  /**
   * The model of that name; as a rule the same object for the same name. Cheap: asks no network.
   *
   * @throws ModelException {@code MODEL_NOT_CONFIGURED} with the sentence of {@link #problem}
   */
  public LanguageModel named(String name) {
    return made.computeIfAbsent(name, this::make);
  }

  /**
   * Why {@code name} names no usable model: a sentence for the person who chose it, which says what
   * to set; empty when it can be used. Cheap: asks no network, so it does not tell whether the
   * provider knows the model or accepts the key.
   */
  public Optional<String> problem(String name) {
    return switch (find(name)) {
      case Unusable unusable -> Optional.of(unusable.problem());
      case Usable _ -> Optional.empty();
    };
  }

  private LanguageModel make(String name) {
    return switch (find(name)) {
      case Unusable unusable ->
          throw new ModelException(Code.MODEL_NOT_CONFIGURED, unusable.problem());
      case Usable usable -> make(usable, name);
    };
  }

  private LanguageModel make(Usable usable, String name) {
    var provider = usable.provider();
    var metered = new MeteredModel(provider.model(usable.model()), provider.name(), name, metrics);
    return new TracedModel(metered, provider.name(), usable.model(), spans);
  }

  private Found find(String name) {
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
              .formatted(name, providers.keySet().stream().sorted().collect(joining(", "))));
    }
    var model = name.substring(colon + 1);
    return provider
        .problem(model)
        .<Found>map(Unusable::new)
        .orElseGet(() -> new Usable(provider, model));
  }

  /** Clients choose names, so not every one ever used can be kept. */
  private static final class Kept extends LinkedHashMap<String, LanguageModel> {

    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, LanguageModel> eldest) {
      return size() > MOST_KEPT;
    }
  }

  private sealed interface Found {}

  private record Usable(ModelProvider provider, String model) implements Found {}

  private record Unusable(String problem) implements Found {}
}
