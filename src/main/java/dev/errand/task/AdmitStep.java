package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionTransitions;
import dev.errand.session.TreeStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jboss.logging.Logger;

/** Gives one waiting task its job, in one transaction. Done twice it is done once. */
@ApplicationScoped
class AdmitStep {

  private static final Logger LOG = Logger.getLogger(AdmitStep.class);

  private final SessionTransitions sessions;
  private final SessionHandover handover;
  private final TaskStore tasks;
  private final DeferredTasks waiting;
  private final TreeStore trees;

  AdmitStep(
      SessionTransitions sessions,
      SessionHandover handover,
      TaskStore tasks,
      DeferredTasks waiting,
      TreeStore trees) {
    this.sessions = sessions;
    this.handover = handover;
    this.tasks = tasks;
    this.waiting = waiting;
    this.trees = trees;
  }

  /** Lets a held task start, if its parent still has room for it. */
  @Transactional
  void admit(SessionId child) {
    sessions.lock(child);
    tasks
        .lockLive(child)
        .filter(this::hasRoom)
        .filter(task -> waiting.admit(task.id()))
        .ifPresent(task -> {
          handover.resume(child);
          LOG.infof("Task %s is admitted", task.id());
        });
  }

  /** Lets a task make its next attempt, if that is due. */
  @Transactional
  void tryAgain(SessionId child) {
    sessions.lock(child);
    if (waiting.retryNow(child)) {
      handover.resume(child);
    }
  }

  private boolean hasRoom(Task task) {
    return trees
        .lock(task.root())
        .map(tree ->
            waiting.siblings(task.parent(), task.id()).admitted()
                < tree.limits().maxBackgroundTasks())
        .orElse(false);
  }
}
