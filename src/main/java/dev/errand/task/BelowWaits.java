package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionRests;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.worktree.OwedChanges;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.Set;

/**
 * Ends the waits of children for the tasks below them when nothing is expected from these any more:
 * the child's task ends with the last answer.
 */
@Singleton
public class BelowWaits {

  private static final int BATCH = 100;
  private static final Set<WaitReason> FOR_BELOW = Set.of(WaitReason.BELOW);

  private final NestedTasks nested;
  private final Waits waits;
  private final SessionRests rests;
  private final SessionHandover handover;
  private final TaskStore tasks;
  private final TaskCompletion completion;
  private final IsolatedSteps steps;
  private final OwedChanges changes;

  BelowWaits(
      NestedTasks nested,
      Waits waits,
      SessionRests rests,
      SessionHandover handover,
      TaskStore tasks,
      TaskCompletion completion,
      IsolatedSteps steps,
      OwedChanges changes) {
    this.nested = nested;
    this.waits = waits;
    this.rests = rests;
    this.handover = handover;
    this.tasks = tasks;
    this.completion = completion;
    this.steps = steps;
    this.changes = changes;
  }

  /** Ends the waits that are over. */
  public void look() {
    steps.forEachIsolated("end_held", nested.waitingForNothing(BATCH), this::end);
  }

  /**
   * Ends the task of a child with its last answer. A child without an answer is woken, and asked
   * for it.
   */
  private void end(SessionId child) {
    changes.around(() ->
        QuarkusTransaction.requiringNew()
            .run(() -> {
              if (waits.lock(child, FOR_BELOW) && !nested.isExpecting(child)) {
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
              completion.end(task, outcome, ParentNotice.SEND);
            },
            () -> handover.wake(task.child()));
  }
}
