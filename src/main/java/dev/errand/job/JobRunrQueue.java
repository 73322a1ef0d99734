package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.session.RunQueue;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jobrunr.scheduling.JobBuilder;

/** Enqueues JobRunr jobs, which are not retried, and gives a hint to the workers. */
@ApplicationScoped
class JobRunrQueue implements RunQueue {

  private static final Logger LOG = Logger.getLogger(JobRunrQueue.class);

  private final JobRunrServer jobRunr;
  private final Hints hints;

  JobRunrQueue(JobRunrServer jobRunr, Hints hints) {
    this.jobRunr = jobRunr;
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
  public void discard(UUID job) {
    try {
      jobRunr.scheduler().delete(job, "its worker is dead");
    } catch (RuntimeException notDeleted) {
      LOG.debugf(notDeleted, "Job %s was not deleted", job);
    }
  }
}
