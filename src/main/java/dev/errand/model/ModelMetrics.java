package dev.errand.model;

import dev.errand.conversation.Usage;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Metrics of model calls: {@code errand_model_calls_total{provider,outcome}}, {@code
 * errand_model_call_seconds{provider}}, {@code errand_tokens_total{model,direction,estimated}} and,
 * for models with a price, {@code errand_cost_total{model}}. Names of models have the form {@code
 * provider:name}. The directions are {@code input}, {@code cached_input} (from the provider's
 * cache) and {@code output}; estimated are those that no provider has counted; the outcome is
 * {@code answered} or the fault's code in lower case.
 */
@Singleton
public final class ModelMetrics {

  private final MeterRegistry registry;

  public ModelMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Records a complete answer. */
  void answered(String provider, String name, Usage usage, Duration took) {
    called(provider, "answered", took);
    var tags = Tags.of("model", name, "estimated", "" + usage.isEstimate());
    tokens(tags, "input", usage.inputTokens() - usage.cachedInputTokens());
    tokens(tags, "cached_input", usage.cachedInputTokens());
    tokens(tags, "output", usage.outputTokens());
    var cost = usage.cost();
    if (cost != null) {
      registry.counter("errand.cost", "model", name).increment(cost.amount().doubleValue());
    }
  }

  /** Records a failed call. */
  void failed(String provider, ModelException.Code code, Duration took) {
    called(provider, code.word(), took);
  }

  private void called(String provider, String outcome, Duration took) {
    registry.counter("errand.model.calls", "provider", provider, "outcome", outcome).increment();
    Timer.builder("errand.model.call").tag("provider", provider).register(registry).record(took);
  }

  private void tokens(Tags tags, String direction, long count) {
    registry.counter("errand.tokens", tags.and("direction", direction)).increment(count);
  }
}
