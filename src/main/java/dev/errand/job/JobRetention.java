package dev.errand.job;

import dev.errand.postgres.RetentionConfig;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.jobrunr.jobs.states.StateName;

/** Deletes failed jobs, which JobRunr keeps indefinitely. It deletes succeeded jobs itself. */
@Singleton
class JobRetention {

  private final JobRunrServer jobRunr;
  private final RetentionConfig config;
  private final Clock clock;

  JobRetention(JobRunrServer jobRunr, RetentionConfig config, Clock clock) {
    this.jobRunr = jobRunr;
    this.config = config;
    this.clock = clock;
  }

  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweep() {
    jobRunr.storage().deleteJobsPermanently(StateName.FAILED, clock.instant().minus(config.jobs()));
  }
}
