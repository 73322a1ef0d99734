package dev.errand.task;

import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The consequences of a claim of a child for its task. */
@ApplicationScoped
public class TaskClaims {

  private final TaskStore tasks;
  private final Deadlines deadlines;
  private final TaskMetrics metrics;
  private final TaskEvents events;

  TaskClaims(TaskStore tasks, Deadlines deadlines, TaskMetrics metrics, TaskEvents events) {
    this.tasks = tasks;
    this.deadlines = deadlines;
    this.metrics = metrics;
    this.events = events;
  }

  /**
   * What a claim means for the session's task.
   *
   * @param begins false: the task has to wait for its first run
   * @param attempt the attempt that begins or is continued; null when the session has no live task
   */
  public record Claim(boolean begins, @Nullable TaskAttempt attempt) {}

  /**
   * A worker claimed the session: its task runs from now on.
   *
   * @param mayBegin whether a task that has never run may begin; it stays pending otherwise
   */
  @Transactional(TxType.MANDATORY)
  public Claim claimed(SessionTransitions.Claim claim, BooleanSupplier mayBegin) {
    var session = claim.session();
    if (session.parent() == null) {
      return new Claim(true, null);
    }
    var isNew = claim.isFirst() || tasks.lockNew(session.id());
    if (isNew && !mayBegin.getAsBoolean()) {
      return new Claim(false, null);
    }
    var begun = tasks.begin(session.id());
    begun.ifPresent(this::note);
    return new Claim(
        true,
        begun.map(start -> new TaskAttempt(start.task().id(), start.task().attempts()))
            .orElse(null));
  }

  private void note(TaskStore.Begun begun) {
    deadlines.arm(begun.left());
    if (begun.isContinued()) {
      return;
    }
    var task = begun.task();
    var startedAt = task.startedAt();
    if (startedAt != null && task.attempts() == 1) {
      metrics.started(Duration.between(task.createdAt(), startedAt));
      events.started(task, begun.origin());
    }
    TaskLog.started(task);
  }
}
