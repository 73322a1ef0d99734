package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.run.SessionRunner;
import jakarta.inject.Singleton;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/** Runs a job on a worker thread. Public because JobRunr calls it by reflection. */
@Singleton
public class RunSessionHandler implements JobRequestHandler<RunSessionJob> {

  private final SessionRunner runner;
  private final JobRunrServer jobRunr;

  RunSessionHandler(SessionRunner runner, JobRunrServer jobRunr) {
    this.runner = runner;
    this.jobRunr = jobRunr;
  }

  @Override
  public void run(RunSessionJob job) {
    jobRunr.release(ThreadLocalJobContext.getJobContext().getJobId());
    runner.run(new SessionId(job.session()));
  }
}
