package dev.errand.task;

import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionLocks;
import dev.errand.worktree.OwedChanges;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Cancels the tasks that a child left behind when its own task ended early, on every node. */
@Singleton
class Orphans implements HintListener {

  private static final int BATCH = 100;
  private static final String CANCELLED = "Cancelled: the task that delegated this has ended.";

  private final NestedTasks nested;
  private final SessionLocks locks;
  private final TaskCompletion completion;
  private final SessionStopper stopper;
  private final IsolatedSteps steps;
  private final OwedChanges changes;

  Orphans(
      NestedTasks nested,
      SessionLocks locks,
      TaskCompletion completion,
      SessionStopper stopper,
      IsolatedSteps steps,
      OwedChanges changes) {
    this.nested = nested;
    this.locks = locks;
    this.completion = completion;
    this.stopper = stopper;
    this.steps = steps;
    this.changes = changes;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Orphans", NestedTasks.SOME_LIVE, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.ORPHANS;
  }

  /** Cancels orphans, level by level: a child that is cancelled here leaves orphans, too. */
  @Override
  public void hinted() {
    int cancelled;
    do {
      cancelled = steps.countIsolated("cancel_orphan", nested.orphans(BATCH), this::cancel);
    } while (cancelled > 0);
  }

  /**
   * Cancels an orphan's current task and those queued for it.
   *
   * @return false when they had ended, the parent has a new task, or another transaction has locked
   *     one of the two sessions
   */
  private boolean cancel(NestedTasks.Orphan orphan) {
    var stop =
        new SessionStopper.Stop(
            CANCELLED,
            task -> TaskOutcome.cancelled(completion.saidSoFar(task)),
            ParentNotice.SUPPRESS);
    return changes.around(() ->
        QuarkusTransaction.requiringNew()
            .call(() -> {
              if (!nested.staysOver(orphan.parent()) || !locks.tryLock(orphan.child())) {
                return false;
              }
              var queued = stopper.cancelAllQueued(orphan.child(), ParentNotice.SUPPRESS) > 0;
              var current = stopper.stop(orphan.child(), stop);
              return queued || current;
            }));
  }
}
