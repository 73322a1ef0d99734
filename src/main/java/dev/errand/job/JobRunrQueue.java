package dev.errand.job;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.run.LocalStarts;
import dev.errand.session.KeptWorker;
import dev.errand.session.NewSession;
import dev.errand.session.RunQueue;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/**
 * Enqueues JobRunr jobs, which are not retried. After the commit, a job is handed to a free worker
 * of this node; if there is none, the workers of all nodes get a hint. The job of a child that runs
 * from its creation on is never stored.
 */
@Singleton
class JobRunrQueue implements RunQueue {

  private final JobRunrServer jobRunr;
  private final Hints hints;
  private final AfterCommit afterCommit;
  private final LocalStarts starts;

  JobRunrQueue(JobRunrServer jobRunr, Hints hints, AfterCommit afterCommit, LocalStarts starts) {
    this.jobRunr = jobRunr;
    this.starts = starts;
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
  public Optional<KeptWorker> keepWorker(NewSession child) {
    var job = job(child.id(), UuidCreator.getTimeOrderedEpoch());
    if (!keep(job)) {
      return Optional.empty();
    }
    var firstCall = starts.firstCall(child);
    if (firstCall.isEmpty()) {
      jobRunr.release(job.getId());
      return Optional.empty();
    }
    afterCommit.otherwise(firstCall.get()::close);
    return Optional.of(new Kept(job, firstCall.get()));
  }

  /** Keeps a worker for a job, which a rollback frees. */
  private boolean keep(Job job) {
    var kept = jobRunr.keepWorker(job.getId());
    if (kept) {
      afterCommit.otherwise(() -> jobRunr.release(job.getId()));
    }
    return kept;
  }

  @Override
  public boolean claim(SessionId session) {
    var job = job(session, UuidCreator.getTimeOrderedEpoch());
    if (!starts.mayClaim() || !keep(job)) {
      return false;
    }
    if (!starts.claim(session, () -> jobRunr.execute(job))) {
      jobRunr.release(job.getId());
    }
    return true;
  }

  private final class Kept implements KeptWorker {

    private final Job job;
    private final Permit firstCall;

    Kept(Job job, Permit firstCall) {
      this.job = job;
      this.firstCall = firstCall;
    }

    @Override
    public UUID node() {
      return starts.node();
    }

    @Override
    public void begin(FirstTurn turn) {
      starts.begin(turn, firstCall, () -> jobRunr.execute(job));
    }

    @Override
    public void free() {
      jobRunr.release(job.getId());
      firstCall.close();
    }
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
