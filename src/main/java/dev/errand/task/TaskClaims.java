package dev.errand.task;

import dev.errand.conversation.SessionId;
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
  public Claim claimed(SessionId session, BooleanSupplier mayBegin) {
    var live = tasks.lockLive(session);
    if (live.filter(task -> task.startedAt() == null).isPresent() && !mayBegin.getAsBoolean()) {
      return new Claim(false, null);
    }
    var pending = live.filter(task -> task.state() == TaskState.PENDING);
    tasks.begin(session).ifPresent(deadlines::arm);
    pending.flatMap(task -> tasks.find(task.id())).ifPresent(this::noteStart);
    return new Claim(
        true,
        live.map(
                task -> new TaskAttempt(task.id(), task.attempts() + (pending.isPresent() ? 1 : 0)))
            .orElse(null));
  }

  private void noteStart(Task started) {
    var startedAt = started.startedAt();
    if (startedAt != null && started.attempts() == 1) {
      metrics.started(Duration.between(started.createdAt(), startedAt));
      events.started(started);
    }
    TaskLog.started(started);
  }
}
