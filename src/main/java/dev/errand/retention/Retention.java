package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.RetentionConfig;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import dev.errand.task.IdempotencyStore;
import dev.errand.task.UnusedTrees;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Deletes trees of sessions that were not used for a long time – transcripts, tasks, results and
 * deliveries – one session per transaction, on every node. A tree with a pending or dead delivery
 * stays until an operator has retried or dismissed it: no result is lost without an error. Expired
 * idempotency keys are deleted, too.
 */
@Singleton
class Retention {

  private static final Logger LOG = Logger.getLogger(Retention.class);
  private static final int SESSION_BATCH = 50;
  private static final int KEY_BATCH = 5_000;

  private final UnusedTrees unused;
  private final RetentionConfig config;
  private final SessionStore sessions;
  private final SessionTransitions transitions;
  private final SessionCloser closer;
  private final SessionRemover remover;
  private final IsolatedSteps steps;
  private final IdempotencyStore keys;

  Retention(
      UnusedTrees unused,
      RetentionConfig config,
      SessionStore sessions,
      SessionTransitions transitions,
      SessionCloser closer,
      SessionRemover remover,
      IsolatedSteps steps,
      IdempotencyStore keys) {
    this.unused = unused;
    this.config = config;
    this.sessions = sessions;
    this.transitions = transitions;
    this.closer = closer;
    this.remover = remover;
    this.steps = steps;
    this.keys = keys;
  }

  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweepSessions() {
    int removed;
    do {
      var due = unused.first(config.sessions(), SESSION_BATCH);
      removed = steps.countIsolated("remove_tree", due, this::remove);
    } while (removed == SESSION_BATCH);
  }

  /**
   * Closes the tree from the top first, so that no session in it can delegate any more. A tree that
   * was used since the search stays. A session that was just woken stays, and so does the rest of
   * the tree.
   */
  private boolean remove(SessionId root) {
    if (!closeUnused(root)) {
      return false;
    }
    var tree = sessions.subtree(root);
    if (!tree.stream().allMatch(remover::close)
        || !tree.reversed().stream().allMatch(remover::delete)) {
      return false;
    }
    LOG.infof("%s and all sessions below it are deleted: they have expired", root);
    return true;
  }

  /** Locks the root so that a delegation that is not committed yet is waited for, too. */
  private boolean closeUnused(SessionId root) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          transitions.lockToDelete(root);
          var isUnused = unused.isUnused(root, config.sessions());
          if (isUnused) {
            closer.close(root);
          }
          return isUnused;
        });
  }

  /** Deletes expired idempotency keys in batches. */
  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweepKeys() {
    int deleted;
    do {
      deleted = keys.deleteExpired(KEY_BATCH);
    } while (deleted == KEY_BATCH);
  }
}
