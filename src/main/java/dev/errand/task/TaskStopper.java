package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.task.SessionStopper.Stop;
import dev.errand.task.TaskCompletion.Notice;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Ends tasks from outside their runs: cancel and time-out. The whole subtree is ended, one session
 * per transaction, parents before children, because a stopped parent cannot delegate any more. The
 * runs notice it by their lost leases.
 */
@ApplicationScoped
public class TaskStopper {

  private static final int BATCH = 100;
  private static final String CANCELLED = "Cancelled before it was done.";
  private static final String TIMED_OUT = "Not done: the task timed out.";

  private final TaskStore tasks;
  private final TaskCompletion completion;
  private final SessionStopper stopper;
  private final IsolatedSteps steps;
  private final Hints hints;
  private final Deadlines deadlines;

  TaskStopper(
      TaskStore tasks,
      TaskCompletion completion,
      SessionStopper stopper,
      IsolatedSteps steps,
      Hints hints,
      Deadlines deadlines) {
    this.tasks = tasks;
    this.completion = completion;
    this.stopper = stopper;
    this.steps = steps;
    this.hints = hints;
    this.deadlines = deadlines;
  }

  void atStart(@Observes StartupEvent start) {
    deadlines.whenDue(this::endOverdue);
  }

  /**
   * Cancels a task and all tasks below it. A task that has ended is not changed.
   *
   * @return the task after that; empty when it does not exist
   */
  public Optional<Task> cancel(TaskId id) {
    var task = tasks.find(id);
    task.filter(found -> found.state().isLive())
        .filter(found -> !inTransaction(() -> stopper.cancelQueued(found)))
        .filter(found -> inTransaction(() -> stopper.stop(found, cancelled(Notice.SEND))))
        .ifPresent(found -> cancelBelow(found.child()));
    return tasks.find(id);
  }

  /**
   * Cancels a session's run and all tasks below the session. When the session is the child of a
   * live task, this task and those queued for the child are cancelled too, and their parent is
   * notified. Within the cancelled tree no session is notified.
   *
   * @return the number of cancelled tasks
   */
  public int cancelSession(SessionId session) {
    var cancelled =
        QuarkusTransaction.requiringNew().call(() -> stopper.cancelAllQueued(session, Notice.SEND));
    if (inTransaction(() -> stopper.stop(session, cancelled(Notice.SEND)))) {
      cancelled++;
    } else {
      QuarkusTransaction.requiringNew().run(() -> stopper.stopRun(session, CANCELLED));
    }
    return cancelled + cancelBelow(session);
  }

  /** Ends the tasks that have timed out, whether or not their workers are alive. */
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void endOverdue() {
    steps.forEachIsolated("time_out", tasks.overdue(BATCH), this::timeOut);
  }

  private void timeOut(Task overdue) {
    var stop =
        new Stop(
            TIMED_OUT,
            task -> TaskOutcome.timedOut(task.timeoutMs(), completion.saidSoFar(task)),
            Notice.SEND);
    if (inTransaction(() -> stopper.stop(overdue, stop))) {
      cancelBelow(overdue.child());
    }
  }

  private int cancelBelow(SessionId parent) {
    hints.afterCommit(Topic.RUNS);
    return tasks.liveChildren(parent).stream().mapToInt(this::cancelChild).sum();
  }

  /** The queued tasks first, so that none of them starts when the current task ends. */
  private int cancelChild(SessionId child) {
    int queued =
        QuarkusTransaction.requiringNew()
            .call(() -> stopper.cancelAllQueued(child, Notice.SUPPRESS));
    var current = inTransaction(() -> stopper.stop(child, cancelled(Notice.SUPPRESS))) ? 1 : 0;
    return queued + current + cancelBelow(child);
  }

  private Stop cancelled(Notice notice) {
    return new Stop(CANCELLED, task -> TaskOutcome.cancelled(completion.saidSoFar(task)), notice);
  }

  private static boolean inTransaction(BooleanSupplier step) {
    return QuarkusTransaction.requiringNew().call(step::getAsBoolean);
  }
}
