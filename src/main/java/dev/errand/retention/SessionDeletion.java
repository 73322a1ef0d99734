package dev.errand.retention;

import dev.errand.auth.Audit;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionStore;
import dev.errand.session.TreeStore;
import dev.errand.task.ChildQueue;
import dev.errand.task.EndedTasks;
import dev.errand.task.TaskStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Closes or deletes one session, in a transaction of its own. */
@Singleton
class SessionDeletion {

  private final SessionStore sessions;
  private final SessionLocks locks;
  private final SessionCloser closer;
  private final TaskStore tasks;
  private final ChildQueue queue;
  private final EndedTasks ended;
  private final OutboxStore outbox;
  private final TreeStore trees;
  private final Audit audit;

  SessionDeletion(
      SessionStore sessions,
      SessionLocks locks,
      SessionCloser closer,
      TaskStore tasks,
      ChildQueue queue,
      EndedTasks ended,
      OutboxStore outbox,
      TreeStore trees,
      Audit audit) {
    this.sessions = sessions;
    this.locks = locks;
    this.closer = closer;
    this.tasks = tasks;
    this.queue = queue;
    this.ended = ended;
    this.outbox = outbox;
    this.trees = trees;
    this.audit = audit;
  }

  /**
   * Closes one session permanently.
   *
   * @return false when the session is driven, has a live task, or another transaction has locked it
   */
  boolean close(SessionId id) {
    return close(id, () -> tasks.lockLive(id).isEmpty());
  }

  /**
   * Closes a child permanently if this was its last task.
   *
   * @return false when the child has another task, running or queued, or is driven again, or
   *     another transaction has locked it
   */
  boolean closeAfter(TaskId task, SessionId child) {
    return close(
        child,
        () ->
            !queue.isBusy(child)
                && tasks.latestOf(child).filter(latest -> latest.id().equals(task)).isPresent());
  }

  private boolean close(SessionId id, BooleanSupplier isUnused) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          if (!locks.tryLockAtRest(id) || !isUnused.getAsBoolean()) {
            return false;
          }
          closer.close(id);
          return true;
        });
  }

  /**
   * Deletes one session, and the tasks of and for it.
   *
   * @return false when it has children or a live task, or tasks are queued for it
   * @throws SessionRemover.NoticeOwedException the end of the session's task was not delivered yet;
   *     nothing was deleted
   */
  boolean delete(SessionId id) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          locks.lockToDelete(id);
          if (sessions.subtree(id).size() > 1 || queue.hasTasks(id)) {
            return false;
          }
          if (ended.isOwed(id)) {
            throw new SessionRemover.NoticeOwedException(id);
          }
          var deleted = ended.deleteOf(id);
          outbox.deleteMessagesOf(id);
          trees.forget(id, deleted);
          sessions.delete(id);
          audit.record("session.delete", id, null, Map.of());
          return true;
        });
  }
}
