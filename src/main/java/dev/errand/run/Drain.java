package dev.errand.run;

import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;
import sun.misc.Signal;

/**
 * Ends this node's runs before it stops: at their next turn boundary, or immediately when the time
 * limit is reached. The tool calls of clients may end in the same time. Other nodes continue with
 * the sessions, and it counts as no failure (architecture, rule 8).
 */
@Singleton
class Drain {

  private static final Logger LOG = Logger.getLogger(Drain.class);

  private final ActiveRuns activeRuns;
  private final ClientCallRunner calls;
  private final RunConfig config;

  Drain(ActiveRuns activeRuns, ClientCallRunner calls, RunConfig config) {
    this.activeRuns = activeRuns;
    this.calls = calls;
    this.config = config;
  }

  /** Begins to drain the node while requests are still answered. */
  void begin(@Observes ShutdownDelayInitiatedEvent stop) {
    activeRuns.askAllToYield();
  }

  /** Waits for the runs, when no more jobs are taken. A second signal ends the wait. */
  void run(@Observes @Priority(2) ShutdownEvent stop) {
    Signal.handle(new Signal("TERM"), _ -> hurry());
    Signal.handle(new Signal("INT"), _ -> hurry());
    var left = activeRuns.askAllToYield();
    if (left > 0) {
      LOG.infof(
          "Stopping: %d runs may continue to their next turn boundary, for %d s at most",
          left, config.drainFor().toSeconds());
    }
    var since = System.nanoTime();
    activeRuns.endWithin(config.drainFor());
    calls.endWithin(config.drainFor().minusNanos(System.nanoTime() - since));
  }

  private void hurry() {
    activeRuns.hurry();
    calls.hurry();
  }
}
