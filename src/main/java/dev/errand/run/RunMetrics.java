package dev.errand.run;

import dev.errand.postgres.AfterCommit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;

/** What is counted of runs, when the transaction that makes it so has committed. */
@ApplicationScoped
class RunMetrics {

  private static final String TAKEOVERS = "errand.takeovers";

  private final MeterRegistry registry;
  private final AfterCommit afterCommit;

  RunMetrics(MeterRegistry registry, AfterCommit afterCommit) {
    this.registry = registry;
    this.afterCommit = afterCommit;
  }

  /** Starts from zero: a counter that is not there before its first event hides it from rates. */
  void begin(@Observes StartupEvent start) {
    List.of("node_lost", "run_lost")
        .forEach(reason -> registry.counter(TAKEOVERS, "reason", reason));
  }

  /** A session was taken from a worker that died. */
  void takenOver(String reason) {
    afterCommit.run(() -> registry.counter(TAKEOVERS, "reason", reason).increment());
  }
}
