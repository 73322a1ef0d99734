package dev.errand.run;

import dev.errand.conversation.Word;
import dev.errand.model.ModelException;
import dev.errand.postgres.AfterCommit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Metrics of runs. What a transaction changes is counted after its commit. */
@Singleton
class RunMetrics {

  private static final String TAKEOVERS = "errand.takeovers";
  private static final String FAILED = "errand.sessions.failed";

  private final MeterRegistry registry;
  private final AfterCommit afterCommit;
  private final Clock clock;

  RunMetrics(MeterRegistry registry, AfterCommit afterCommit, Clock clock) {
    this.registry = registry;
    this.afterCommit = afterCommit;
    this.clock = clock;
  }

  /**
   * Registers the counters with zero: rates do not see the first event of a counter that does not
   * exist before it.
   */
  void begin(@Observes StartupEvent start) {
    List.of("node_lost", "run_lost")
        .forEach(reason -> registry.counter(TAKEOVERS, "reason", reason));
    Stream.concat(
            Word.words(FailureCode.class).stream(), Word.words(ModelException.Code.class).stream())
        .forEach(code -> registry.counter(FAILED, "code", code));
  }

  /** Counts a session that was taken over from a dead worker. */
  void takenOver(String reason) {
    afterCommit.run(() -> registry.counter(TAKEOVERS, "reason", reason).increment());
  }

  /** Counts a run of a root session that failed for good. */
  void sessionFailed(String code) {
    afterCommit.run(() -> registry.counter(FAILED, "code", code).increment());
  }

  void toolCalled(String tool, String outcome) {
    registry.counter("errand.tool.calls", "tool", tool, "outcome", outcome).increment();
  }

  /**
   * Measures the time until a parent's model is called for the first time after the end of one of
   * its tasks.
   */
  void resumed(Instant taskEndedAt) {
    Timer.builder("errand.resume")
        .register(registry)
        .record(Duration.between(taskEndedAt, clock.instant()));
  }
}
