package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.delivery.OutboxRelay;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionStore;
import dev.errand.task.TaskStopper;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;

/** Deletes a session for a client, with everything below it. */
@Singleton
public class SessionRemover {

  private final SessionStore sessions;
  private final SessionLocks locks;
  private final TaskStopper stopper;
  private final OutboxRelay relay;
  private final OutboxStore outbox;
  private final SessionDeletion deletion;

  SessionRemover(
      SessionStore sessions,
      SessionLocks locks,
      TaskStopper stopper,
      OutboxRelay relay,
      OutboxStore outbox,
      SessionDeletion deletion) {
    this.sessions = sessions;
    this.locks = locks;
    this.stopper = stopper;
    this.relay = relay;
    this.outbox = outbox;
    this.deletion = deletion;
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
      deleted = sessions.subtree(id).reversed().stream().allMatch(deletion::delete);
    } while (!deleted);
  }

  /** A session that is to be deleted reads nothing any more. */
  private void suppressDeliveries(SessionId id) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          locks.lock(id);
          outbox.suppressFor(id);
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
