package dev.errand.agent;

import dev.errand.conversation.Usage;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** What is counted of models and tools. */
@ApplicationScoped
class AgentMetrics {

  private final MeterRegistry registry;
  private final Clock clock;

  AgentMetrics(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /** @param outcome {@code ok} or the error's code */
  void modelCalled(String model, String outcome, Duration duration) {
    var provider = provider(model);
    registry.counter("errand.model.calls", "provider", provider, "outcome", outcome).increment();
    Timer.builder("errand.model.call")
        .tag("provider", provider)
        .publishPercentileHistogram()
        .register(registry)
        .record(duration);
  }

  void tokensUsed(String model, Usage usage) {
    registry.counter("errand.tokens", "model", model, "direction", "input").increment(usage.inputTokens());
    registry.counter("errand.tokens", "model", model, "direction", "output").increment(usage.outputTokens());
  }

  void toolCalled(String tool, String outcome) {
    registry.counter("errand.tool.calls", "tool", tool, "outcome", outcome).increment();
  }

  /** A parent's model is asked for the first time after a task of its ended. */
  void resumed(Instant taskEndedAt) {
    Timer.builder("errand.resume")
        .publishPercentileHistogram()
        .register(registry)
        .record(Duration.between(taskEndedAt, clock.instant()));
  }

  private static String provider(String model) {
    var colon = model.indexOf(':');
    return colon < 0 ? "unknown" : model.substring(0, colon);
  }
}
