package dev.errand.job;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.LiveSessions;
import dev.errand.session.LiveSessions.QueuedSession;
import dev.errand.session.SessionHandover;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jobrunr.storage.JobNotFoundException;

/**
 * Looks for queued sessions that no worker has taken. If the hint was lost, the workers look for
 * jobs at once, because JobRunr itself polls far less often (architecture, rule 13). If the job is
 * lost, because it failed before it claimed the session or its worker died, the session gets a new
 * one. A session that waits because all workers are busy keeps its job.
 */
@Singleton
class LostJobs {

  private static final Logger LOG = Logger.getLogger(LostJobs.class);

  /** As in {@link LiveSessions#SOME_QUEUED_LONG}. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  private static final int BATCH = 100;

  private final LiveSessions live;
  private final SessionHandover handover;
  private final JobRunrServer jobRunr;
  private final Clock clock;
  private final IsolatedSteps steps;

  LostJobs(
      LiveSessions live,
      SessionHandover handover,
      JobRunrServer jobRunr,
      Clock clock,
      IsolatedSteps steps) {
    this.live = live;
    this.handover = handover;
    this.jobRunr = jobRunr;
    this.clock = clock;
    this.steps = steps;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Queue", LiveSessions.SOME_QUEUED, this::poll));
    sweeps.add(Sweep.whenDue("Lost jobs", LiveSessions.SOME_QUEUED_LONG, this::requeue).every(5));
  }

  private void poll() {
    if (jobRunr.isProcessing()) {
      jobRunr.hinted();
    }
  }

  void requeue() {
    steps.forEachIsolated("requeue_lost", live.queuedFor(QUIET, BATCH), this::requeueIfLost);
  }

  private void requeueIfLost(QueuedSession queued) {
    if (isLost(queued)) {
      LOG.warnf("The job of session %s is lost; the session gets a new one", queued.session());
      handover.requeue(queued.session());
    }
  }

  private boolean isLost(QueuedSession queued) {
    try {
      var job = jobRunr.storage().getJobById(queued.job());
      return switch (job.getState()) {
        case ENQUEUED, SCHEDULED, AWAITING -> false;
        case PROCESSING -> job.getUpdatedAt().isBefore(clock.instant().minus(QUIET));
        case SUCCEEDED, FAILED, DELETED -> true;
      };
    } catch (JobNotFoundException purged) {
      return true;
    }
  }
}
