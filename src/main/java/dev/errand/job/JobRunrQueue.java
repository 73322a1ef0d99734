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
  private final LocalStarts starts;

  JobRunrQueue(JobRunrServer jobRunr, Hints hints, AfterCommit afterCommit, LocalStarts starts) {
    this.jobRunr = jobRunr;
    this.afterCommit = afterCommit;
    this.hints = hints;
    this.starts = starts;
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
    afterCommit.run(() -> start(session, job));
  }

  private void start(SessionId session, UUID job) {
    if (starts.start(session, job)) {
      hints.giveToOthers(Topic.WORK);
    } else {
      hints.give(Topic.WORK);
    }
  }

  @Override
  public void removeCurrent() {
    var local = LocalStarts.current();
    var job = local.orElseGet(() -> ThreadLocalJobContext.getJobContext().getJobId());
    var ignored = jobRunr.storage().deletePermanently(job);
    afterCommit.run(
        local.isPresent() ? LocalStarts::claimed : () -> jobRunr.storage().isDeleted(job));
  }
}
