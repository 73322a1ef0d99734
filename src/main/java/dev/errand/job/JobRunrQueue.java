package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.RunQueue;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/**
 * Enqueues JobRunr jobs, which are not retried. After the commit, a job is handed to a free worker
 * of this node; if there is none, the workers of all nodes get a hint.
 */
@ApplicationScoped
class JobRunrQueue implements RunQueue {

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
    var job = new Job(id, new JobDetails(new RunSessionJob(session.value())));
    job.setJobName("run " + session);
    job.setAmountOfRetries(0);
    var stored = jobRunr.storage().save(job);
    afterCommit.run(() -> {
      if (!jobRunr.handOver(stored)) {
        hints.give(Topic.WORK);
      }
    });
  }

  @Override
  public void removeCurrent() {
    var current = ThreadLocalJobContext.getJobContext();
    if (current != null) {
      var job = current.getJobId();
      var ignored = jobRunr.storage().deletePermanently(job);
      afterCommit.run(() -> jobRunr.storage().isDeleted(job));
    }
  }
}
