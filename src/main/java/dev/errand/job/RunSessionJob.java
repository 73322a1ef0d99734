package dev.errand.job;

import java.util.UUID;
import org.jobrunr.jobs.lambdas.JobRequest;

/** The job to run a session. It contains only the id. */
public record RunSessionJob(UUID session) implements JobRequest {

  @Override
  public Class<RunSessionHandler> getJobRequestHandler() {
    return RunSessionHandler.class;
  }
}
