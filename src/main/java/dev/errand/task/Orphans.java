package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionRests;
import dev.errand.session.SessionTransitions;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.task.TaskCompletion.Notice;
import dev.errand.task.TaskOutcome.StopReason;
import dev.errand.worktree.OwedChanges;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;

/**
 * Looks after tasks below children, on every node: cancels those that a child left behind when its
 * own task ended early, and ends held tasks that have nothing left to wait for, or wakes their
 * children when these owe an answer.
 */
@Singleton
public class Orphans implements HintListener {

  private static final int BATCH = 100;
  private static final Set<WaitReason> FOR_THOSE_BELOW = Set.of(WaitReason.BELOW);
  private static final String CANCELLED = "Cancelled: the task that delegated this has ended.";

  private final NestedTasks nested;
  private final SessionTransitions sessions;
  private final SessionRests rests;
  private final Waits waits;
  private final SessionHandover handover;
  private final TaskStore tasks;
  private final TaskCompletion completion;
  private final SessionStopper stopper;
  private final IsolatedSteps steps;
  private final OwedChanges changes;

  Orphans(
      NestedTasks nested,
      SessionTransitions sessions,
      SessionRests rests,
      Waits waits,
      SessionHandover handover,
      TaskStore tasks,
      TaskCompletion completion,
      SessionStopper stopper,
      IsolatedSteps steps,
      OwedChanges changes) {
    this.nested = nested;
    this.sessions = sessions;
    this.rests = rests;
    this.waits = waits;
    this.handover = handover;
    this.tasks = tasks;
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

  /** Ends the waits of children for tasks below them that are not live any more. */
  public void look() {
    steps.forEachIsolated("end_held", nested.heldForNothing(BATCH), this::endHeld);
  }

  /** Level by level: a child that is cancelled here leaves orphans, too. */
  @Override
  public void hinted() {
    int cancelled;
    do {
      cancelled = steps.countIsolated("cancel_orphan", nested.orphans(BATCH), this::cancel);
    } while (cancelled > 0);
  }

  /**
   * Ends a held task with its child's last answer if there is still nothing to wait for. A child
   * without an answer is woken, and asked for it.
   */
  private void endHeld(SessionId child) {
    changes.around(() ->
        QuarkusTransaction.requiringNew()
            .run(() -> {
              if (waits.lock(child, FOR_THOSE_BELOW) && !nested.isExpecting(child)) {
                tasks.lockLive(child).ifPresent(this::complete);
              }
            }));
  }

  private void complete(Task task) {
    completion
        .lastAnswer(task.child())
        .map(answer -> TaskOutcome.completed(answer, StopReason.END_TURN))
        .ifPresentOrElse(
            outcome -> {
              rests.idle(task.child());
              completion.end(task, outcome, Notice.SEND);
            },
            () -> handover.wake(task.child()));
  }

  /**
   * Cancels an orphan's current task and those queued for it.
   *
   * @return false when they had ended, the parent has a new task, or another transaction holds one
   *     of the two sessions
   */
  private boolean cancel(NestedTasks.Orphan orphan) {
    var stop =
        new SessionStopper.Stop(
            CANCELLED, task -> TaskOutcome.cancelled(completion.saidSoFar(task)), Notice.SUPPRESS);
    return changes.around(() ->
        QuarkusTransaction.requiringNew()
            .call(() -> {
              if (!nested.staysOver(orphan.parent()) || !sessions.tryLock(orphan.child())) {
                return false;
              }
              var queued = stopper.cancelAllQueued(orphan.child(), Notice.SUPPRESS) > 0;
              var current = stopper.stop(orphan.child(), stop);
              return queued || current;
            }));
  }
}
