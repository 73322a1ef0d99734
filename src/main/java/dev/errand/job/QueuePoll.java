package dev.errand.job;

import dev.errand.session.LiveSessions;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/**
 * Polls once a second for queued sessions whose hint was lost, because JobRunr itself polls far
 * less often (architecture, rule 13).
 */
@ApplicationScoped
class QueuePoll {

  private static final Duration LONGER_THAN_A_HINT = Duration.ofMillis(500);

  private final LiveSessions live;
  private final JobRunrServer jobRunr;

  QueuePoll(LiveSessions live, JobRunrServer jobRunr) {
    this.live = live;
    this.jobRunr = jobRunr;
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void look() {
    if (jobRunr.isProcessing() && !live.queuedFor(LONGER_THAN_A_HINT, 1).isEmpty()) {
      jobRunr.hinted();
    }
  }
}
