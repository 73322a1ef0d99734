package dev.errand.task;

import dev.errand.auth.Audit;
import dev.errand.outbox.CallbackStore;
import dev.errand.postgres.AfterCommit;
import dev.errand.task.TaskPlan.Child;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/**
 * Writes what a new task has besides its row: the copy that its child works in, its callback, its
 * event, and the traces of its acceptance.
 */
@Singleton
class AcceptedTasks {

  private final Worktrees worktrees;
  private final CallbackStore callbacks;
  private final TaskEvents events;
  private final TaskMetrics metrics;
  private final Audit audit;
  private final AfterCommit afterCommit;

  AcceptedTasks(
      Worktrees worktrees,
      CallbackStore callbacks,
      TaskEvents events,
      TaskMetrics metrics,
      Audit audit,
      AfterCommit afterCommit) {
    this.worktrees = worktrees;
    this.callbacks = callbacks;
    this.events = events;
    this.metrics = metrics;
    this.audit = audit;
    this.afterCommit = afterCommit;
  }

  @Transactional(TxType.MANDATORY)
  void record(TaskPlan plan, Task task) {
    if (plan.child() instanceof Child.New(var session, var copy) && copy != null) {
      worktrees.keep(copy, session.id());
    }
    if (plan.submission().caller() instanceof TaskCaller.Client client) {
      audit.recordIfKnown("task.submit", task.parent(), task.id());
      if (client.callback() != null) {
        callbacks.add(task.id(), client.callback().callback());
      }
    }
    events.created(task, plan.parent());
    metrics.accepted(task);
    afterCommit.run(() -> TaskLog.accepted(task));
  }
}
