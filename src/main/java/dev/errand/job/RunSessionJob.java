package dev.errand.job;

import java.util.UUID;
import org.jobrunr.jobs.lambdas.JobRequest;

/** "Run this session." All that a job holds. */
public record RunSessionJob(UUID session) implements JobRequest {

  @Override
  public Class<RunSessionHandler> getJobRequestHandler() {
    return RunSessionHandler.class;
  }
}
