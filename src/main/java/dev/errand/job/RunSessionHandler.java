package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.ScheduledJobLog;
import dev.errand.run.SessionRunner;
import jakarta.inject.Singleton;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/** Runs a job on a worker thread. Public because JobRunr calls it by reflection. */
@Singleton
public class RunSessionHandler implements JobRequestHandler<RunSessionJob> {

  private static final String NAME = "Beginning a run";

  private final SessionRunner runner;
  private final JobRunrServer jobRunr;
  private final ScheduledJobLog log;

  RunSessionHandler(SessionRunner runner, JobRunrServer jobRunr, ScheduledJobLog log) {
    this.runner = runner;
    this.jobRunr = jobRunr;
    this.log = log;
  }

  @Override
  public void run(RunSessionJob job) {
    jobRunr.release(ThreadLocalJobContext.getJobContext().getJobId());
    try {
      runner.run(new SessionId(job.session()));
      log.succeeded(NAME);
    } catch (RuntimeException | Error fault) {
      log.failed(NAME, fault);
      throw fault;
    }
  }
}
