package dev.errand.job;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.session.LiveSessions;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;

/**
 * Polls once a second for queued sessions whose hint was lost, because JobRunr itself polls far
 * less often (architecture, rule 13).
 */
@ApplicationScoped
class QueuePoll {

  private static final Duration LONGER_THAN_A_HINT = Duration.ofMillis(500);

  private final JobRunrServer jobRunr;

  QueuePoll(JobRunrServer jobRunr) {
    this.jobRunr = jobRunr;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Queue", LiveSessions.someQueuedFor(LONGER_THAN_A_HINT), this::look));
  }

  void look() {
    if (jobRunr.isProcessing()) {
      jobRunr.hinted();
    }
  }
}
