package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.run.SessionRunner;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Starts runs on the node that has queued them, without the way through JobRunr, while a worker is
 * free and no other job waits. The job stays in the database until the claim deletes it: whatever
 * prevents the start, JobRunr finds the job.
 */
@ApplicationScoped
class LocalStarts {

  private static final Logger LOG = Logger.getLogger(LocalStarts.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final ScopedValue<Started> STARTED = ScopedValue.newInstance();

  private final JobRunrServer jobRunr;
  private final SessionRunner runner;
  private final Hints hints;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("run-", 0).factory());

  LocalStarts(JobRunrServer jobRunr, SessionRunner runner, Hints hints) {
    this.jobRunr = jobRunr;
    this.hints = hints;
    this.runner = runner;
  }

  /** A job that was started, and whether the claim has deleted it. */
  private record Started(UUID job, AtomicBoolean claimed) {}

  /** The job that this thread has started, unless JobRunr has. */
  static Optional<UUID> current() {
    return STARTED.isBound() ? Optional.of(STARTED.get().job()) : Optional.empty();
  }

  /** The claim that deleted the job of this thread is committed. */
  static void claimed() {
    STARTED.get().claimed().set(true);
  }

  /**
   * Starts the run of a queued session whose job is committed.
   *
   * @return false when JobRunr has to start it
   */
  boolean start(SessionId session, UUID job) {
    if (!jobRunr.occupyWorker()) {
      return false;
    }
    threads.execute(() -> run(session, new Started(job, new AtomicBoolean())));
    return true;
  }

  private void run(SessionId session, Started started) {
    try {
      ScopedValue.where(STARTED, started).run(() -> runner.run(session));
      if (!started.claimed().get()) {
        var ignored = jobRunr.storage().deletePermanently(started.job());
      }
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Session %s was not started; its job is tried again", session);
      hints.give(Topic.WORK);
    } finally {
      if (jobRunr.freeWorker()) {
        hints.give(Topic.WORK);
      }
    }
  }

  /** Together with JobRunr, which interrupts its workers, too. */
  void stop(@Observes @Priority(50) ShutdownEvent stop) throws InterruptedException {
    threads.shutdown();
    if (!threads.awaitTermination(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      threads.shutdownNow();
    }
  }
}
