package dev.errand.job;

import org.jobrunr.jobs.lambdas.JobRequest;

/** The job to run an {@link dev.errand.node.Upkeep}. It contains only its name. */
public record UpkeepJob(String name) implements JobRequest {

  @Override
  public Class<UpkeepHandler> getJobRequestHandler() {
    return UpkeepHandler.class;
  }
}
