package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.RunQueue;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/** Enqueues JobRunr jobs, which are not retried, and gives a hint to the workers. */
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
  public void enqueue(SessionId session, UUID job) {
    jobRunr
        .scheduler()
        .create(
            JobBuilder.aJob()
                .withId(job)
                .withName("run " + session)
                .withAmountOfRetries(0)
                .withJobRequest(new RunSessionJob(session.value())));
    hints.afterCommit(Topic.WORK);
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
