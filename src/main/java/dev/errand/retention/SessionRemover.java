package dev.errand.retention;

import dev.errand.auth.Audit;
import dev.errand.conversation.SessionId;
import dev.errand.delivery.OutboxRelay;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import dev.errand.session.TreeStore;
import dev.errand.task.ChildQueue;
import dev.errand.task.EndedTasks;
import dev.errand.task.TaskStopper;
import dev.errand.task.TaskStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.Map;

/** Deletes a session with everything below it, one session per transaction. */
@Singleton
public class SessionRemover {

  private final SessionStore sessions;
  private final SessionTransitions transitions;
  private final SessionCloser closer;
  private final TaskStopper stopper;
  private final TaskStore tasks;
  private final ChildQueue queue;
  private final EndedTasks ended;
  private final OutboxRelay relay;
  private final OutboxStore outbox;
  private final TreeStore trees;
  private final Audit audit;

  SessionRemover(
      SessionStore sessions,
      SessionTransitions transitions,
      SessionCloser closer,
      TaskStopper stopper,
      TaskStore tasks,
      ChildQueue queue,
      EndedTasks ended,
      OutboxRelay relay,
      OutboxStore outbox,
      TreeStore trees,
      Audit audit) {
    this.sessions = sessions;
    this.transitions = transitions;
    this.closer = closer;
    this.stopper = stopper;
    this.tasks = tasks;
    this.queue = queue;
    this.ended = ended;
    this.relay = relay;
    this.outbox = outbox;
    this.trees = trees;
    this.audit = audit;
  }

  /**
   * Cancels the subtree, delivers the notice of this to a parent outside of it, then deletes,
   * children first. Begins again when a session has accepted another task. Idempotent.
   *
   * @throws NoticeOwedException the notice could not be delivered yet; nothing of the child that it
   *     is about was deleted
   */
  public void remove(SessionId id) {
    if (sessions.find(id).isEmpty()) {
      return;
    }
    boolean deleted;
    do {
      stopper.cancelSession(id);
      relay.runDue();
      sessions.subtree(id).forEach(this::suppressDeliveries);
      deleted = sessions.subtree(id).reversed().stream().allMatch(this::delete);
    } while (!deleted);
  }

  /** A session that is to be deleted reads nothing any more. */
  private void suppressDeliveries(SessionId id) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          transitions.lock(id);
          outbox.suppressFor(id);
        });
  }

  /**
   * Closes one session permanently.
   *
   * @return false when the session is driven, has a live task, or is held by another transaction
   */
  boolean close(SessionId id) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          if (!transitions.tryLockAtRest(id) || tasks.lockLive(id).isPresent()) {
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
   * @throws NoticeOwedException the end of the session's task was not delivered yet; nothing was
   *     deleted
   */
  boolean delete(SessionId id) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          transitions.lockToDelete(id);
          if (sessions.subtree(id).size() > 1 || queue.hasTasks(id)) {
            return false;
          }
          if (ended.isOwed(id)) {
            throw new NoticeOwedException(id);
          }
          var deleted = ended.deleteOf(id);
          outbox.deleteMessagesOf(id);
          trees.forget(id, deleted);
          sessions.delete(id);
          audit.record("session.delete", id, null, Map.of());
          return true;
        });
  }

  /**
   * A session cannot be deleted yet, because the end of its task was not delivered to its parent.
   */
  public static final class NoticeOwedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NoticeOwedException(SessionId session) {
      super("the notice about " + session + " is not delivered yet");
    }
  }
}
