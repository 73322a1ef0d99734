package dev.errand.retention;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionTransitions;
import dev.errand.task.ChildQueue;
import dev.errand.task.TaskStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jdbi.v3.core.Jdbi;

/** Closes one session, in one transaction; looks again under its lock. */
@ApplicationScoped
class CleanStep {

  private final Jdbi jdbi;
  private final SessionTransitions sessions;
  private final SessionCloser closer;
  private final TaskStore tasks;
  private final ChildQueue line;

  CleanStep(
      Jdbi jdbi,
      SessionTransitions sessions,
      SessionCloser closer,
      TaskStore tasks,
      ChildQueue line) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.closer = closer;
    this.tasks = tasks;
    this.line = line;
  }

  /**
   * @return false when the child has got a further task, now or in line, or is driven again
   */
  @Transactional
  boolean closeChild(SessionId child, TaskId task) {
    var driven = sessions.lock(child);
    if (driven
        || line.isBusy(child)
        || tasks.latestOf(child).filter(latest -> latest.id().equals(task)).isEmpty()) {
      return false;
    }
    closer.close(child);
    return true;
  }

  /**
   * @return false when somebody still works in it
   */
  @Transactional
  boolean close(SessionId session) {
    if (sessions.lock(session) || tasks.lockLive(session).isPresent()) {
      return false;
    }
    closer.close(session);
    return true;
  }

  @Transactional
  void done(TaskId task) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update task set cleaned_at = clock_timestamp() where id = ?", task.value()));
  }
}
