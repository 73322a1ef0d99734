package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.node.Upkeep;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.RetentionConfig;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionStore;
import dev.errand.task.UnusedTrees;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Deletes trees of sessions that were not used for a long time, or that have expired – transcripts,
 * tasks, results and deliveries – one session per transaction. A tree with a pending or dead
 * delivery stays until an operator has retried or dismissed it: no result is lost without an error.
 */
@Singleton
class Retention implements Upkeep {

  private static final Logger LOG = Logger.getLogger(Retention.class);
  private static final int BATCH = 50;

  private final UnusedTrees unused;
  private final RetentionConfig config;
  private final SessionStore sessions;
  private final SessionLocks locks;
  private final SessionCloser closer;
  private final SessionDeletion deletion;
  private final IsolatedSteps steps;

  Retention(
      UnusedTrees unused,
      RetentionConfig config,
      SessionStore sessions,
      SessionLocks locks,
      SessionCloser closer,
      SessionDeletion deletion,
      IsolatedSteps steps) {
    this.unused = unused;
    this.config = config;
    this.sessions = sessions;
    this.locks = locks;
    this.closer = closer;
    this.deletion = deletion;
    this.steps = steps;
  }

  @Override
  public String name() {
    return "delete_unused_sessions";
  }

  @Override
  public boolean runSome() {
    var ended = unused.ended(BATCH);
    steps.forEachIsolated(
        "expire_tree", ended, root -> sessions.expire(root.id(), root.expiresAt()));
    var due = unused.first(config.sessions(), BATCH);
    return steps.countIsolated("remove_tree", due, this::remove) == BATCH || ended.size() == BATCH;
  }

  /**
   * Closes the tree from the top first, so that no session in it can delegate any more. A tree that
   * was used since the search stays. A session that was just woken stays, and so does the rest of
   * the tree, until the next run.
   */
  private boolean remove(SessionId root) {
    if (!closeUnused(root)) {
      return false;
    }
    var tree = sessions.subtree(root);
    if (!tree.stream().skip(1).allMatch(deletion::close)
        || !tree.reversed().stream().allMatch(deletion::delete)) {
      return false;
    }
    LOG.infof("%s and all sessions below it are deleted: they have expired", root);
    return true;
  }

  /** Locks the root so that a delegation that is not committed yet is waited for, too. */
  private boolean closeUnused(SessionId root) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          locks.lockToDelete(root);
          var isUnused = unused.isUnused(root, config.sessions());
          if (isUnused) {
            closer.close(root);
          }
          return isUnused;
        });
  }
}
