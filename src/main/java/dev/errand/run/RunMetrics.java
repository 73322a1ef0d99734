package dev.errand.run;

import dev.errand.postgres.AfterCommit;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** What is counted of runs, when the transaction that makes it so has committed. */
@ApplicationScoped
class RunMetrics {

  private static final String TAKEOVERS = "errand.takeovers";

  private final MeterRegistry registry;
  private final AfterCommit afterCommit;

  /** A counter that is not there before its first event hides that event from rates. */
  RunMetrics(MeterRegistry registry, AfterCommit afterCommit) {
    this.registry = registry;
    this.afterCommit = afterCommit;
    List.of("node_lost", "run_lost")
        .forEach(reason -> registry.counter(TAKEOVERS, "reason", reason));
  }

  /** A session was taken from a worker that died. */
  void takenOver(String reason) {
    afterCommit.run(() -> registry.counter(TAKEOVERS, "reason", reason).increment());
  }
}
