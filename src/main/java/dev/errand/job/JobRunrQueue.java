package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.RunQueue;
import jakarta.inject.Singleton;
import java.util.UUID;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/**
 * Enqueues JobRunr jobs, which are not retried. After the commit, a job is handed to a free worker
 * of this node; if there is none, the workers of all nodes get a hint.
 */
@Singleton
class JobRunrQueue implements RunQueue {

  private static final String DELETE = "delete from jobrunr_jobs where id = :id";

  private final JobRunrServer jobRunr;
  private final Hints hints;
  private final AfterCommit afterCommit;

  JobRunrQueue(JobRunrServer jobRunr, Hints hints, AfterCommit afterCommit) {
    this.jobRunr = jobRunr;
    this.afterCommit = afterCommit;
    this.hints = hints;
  }

  @Override
  public void enqueue(SessionId session, UUID id) {
    var stored = jobRunr.storage().save(job(session, id));
    afterCommit.run(() -> {
      if (!jobRunr.handOver(stored)) {
        hints.give(Topic.WORK);
      }
    });
  }

  private static Job job(SessionId session, UUID id) {
    var job = new Job(id, new JobDetails(new RunSessionJob(session.value())));
    job.setJobName("run " + session);
    job.setAmountOfRetries(0);
    return job;
  }

  @Override
  public void removeCurrent(Pipeline pipeline) {
    if (ThreadLocalJobContext.hasJobContext()) {
      var job = ThreadLocalJobContext.getJobContext().getJobId();
      pipeline.update(Statement.of(DELETE).bind("id", job.toString()));
      afterCommit.run(() -> jobRunr.storage().isDeleted(job));
    }
  }
}
