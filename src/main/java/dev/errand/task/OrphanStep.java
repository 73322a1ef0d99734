package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/** Ends one task whose surroundings have changed, in one transaction; looks again under locks. */
@ApplicationScoped
class OrphanStep {

  private static final String CANCELLED = "Cancelled: the task that asked for this is over.";

  private final NestedTasks nested;
  private final SessionTransitions sessions;
  private final TaskStore tasks;
  private final TaskCompletion ends;
  private final StopStep stop;

  OrphanStep(
      NestedTasks nested,
      SessionTransitions sessions,
      TaskStore tasks,
      TaskCompletion ends,
      StopStep stop) {
    this.nested = nested;
    this.sessions = sessions;
    this.tasks = tasks;
    this.ends = ends;
    this.stop = stop;
  }

  /**
   * Cancels a task that nobody waits for, and those in line behind it.
   *
   * @return false when it had ended, or its parent has got a new task
   */
  @Transactional
  boolean cancel(NestedTasks.Orphan orphan) {
    if (!nested.staysOver(orphan.parent())) {
      return false;
    }
    var waited = stop.endLine(orphan.child(), TaskCompletion.Notice.SUPPRESS) > 0;
    var worked =
        stop.stop(
            orphan.child(),
            CANCELLED,
            task -> TaskOutcome.cancelled(ends.saidSoFar(task)),
            TaskCompletion.Notice.SUPPRESS);
    return waited || worked;
  }

  /** Ends a held task with its child's last word, if there is still nothing to wait for. */
  @Transactional
  void endHeld(SessionId child) {
    if (sessions.lock(child) || nested.isExpecting(child)) {
      return;
    }
    tasks
        .lockLive(child)
        .ifPresent(task ->
            ends.end(
                task,
                TaskOutcome.completed(ends.saidSoFar(task), false),
                TaskCompletion.Notice.SEND));
  }
}
