package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.run.SessionRunner;
import jakarta.enterprise.context.ApplicationScoped;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/** Runs a job on a worker thread. Public because JobRunr calls it by reflection. */
@ApplicationScoped
public class RunSessionHandler implements JobRequestHandler<RunSessionJob> {

  private final SessionRunner runner;

  RunSessionHandler(SessionRunner runner) {
    this.runner = runner;
  }

  @Override
  public void run(RunSessionJob job) {
    runner.run(new SessionId(job.session()));
  }
}
