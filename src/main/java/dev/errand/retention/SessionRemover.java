package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.delivery.OutboxRelay;
import dev.errand.session.SessionStore;
import dev.errand.task.TaskStopper;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes a session with everything below it. */
@ApplicationScoped
public class SessionRemover {

  private final SessionStore sessions;
  private final TaskStopper stopper;
  private final OutboxRelay relay;
  private final RemoveStep step;

  SessionRemover(SessionStore sessions, TaskStopper stopper, OutboxRelay relay, RemoveStep step) {
    this.sessions = sessions;
    this.stopper = stopper;
    this.relay = relay;
    this.step = step;
  }

  /**
   * Cancels the subtree, lets a parent outside it hear of that, then deletes, children first. Twice
   * is once.
   *
   * @throws NoticeOwedException that parent could not be told yet; nothing of its child was deleted
   */
  public void remove(SessionId id) {
    if (sessions.find(id).isEmpty()) {
      return;
    }
    stopper.cancelSession(id);
    relay.runDue();
    sessions.subtree(id).forEach(step::forgetMail);
    sessions.subtree(id).reversed().forEach(step::remove);
  }
}
