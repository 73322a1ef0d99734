package dev.errand.job;

import dev.errand.node.Upkeep;
import dev.errand.postgres.RetentionConfig;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.jobrunr.jobs.states.StateName;

/** Deletes failed jobs, which JobRunr keeps indefinitely. It deletes succeeded jobs itself. */
@Singleton
class JobRetention implements Upkeep {

  private final JobRunrServer jobRunr;
  private final RetentionConfig config;
  private final Clock clock;

  JobRetention(JobRunrServer jobRunr, RetentionConfig config, Clock clock) {
    this.jobRunr = jobRunr;
    this.config = config;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "delete_failed_jobs";
  }

  @Override
  public boolean runSome() {
    jobRunr.storage().deleteJobsPermanently(StateName.FAILED, clock.instant().minus(config.jobs()));
    return false;
  }
}
