package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/** Deletes one session without children, and the tasks around it, in one transaction. */
@ApplicationScoped
class RemoveStep {

  private final SessionTransitions transitions;
  private final SessionStore sessions;
  private final TaskStore tasks;

  RemoveStep(SessionTransitions transitions, SessionStore sessions, TaskStore tasks) {
    this.transitions = transitions;
    this.sessions = sessions;
    this.tasks = tasks;
  }

  @Transactional
  void remove(SessionId id) {
    transitions.lock(id);
    if (!tasks.deleteAround(id)) {
      throw new IllegalStateException("a notice about " + id + " is still on its way");
    }
    sessions.delete(id);
  }
}
