package dev.errand.run;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Metrics of tool calls and of parents that resume. */
@ApplicationScoped
class AgentMetrics {

  private final MeterRegistry registry;
  private final Clock clock;

  AgentMetrics(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  void toolCalled(String tool, String outcome) {
    registry.counter("errand.tool.calls", "tool", tool, "outcome", outcome).increment();
  }

  /** A parent's model is called for the first time after the end of one of its tasks. */
  void resumed(Instant taskEndedAt) {
    Timer.builder("errand.resume")
        .register(registry)
        .record(Duration.between(taskEndedAt, clock.instant()));
  }
}
