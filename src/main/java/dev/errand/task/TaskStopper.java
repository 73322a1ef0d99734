package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.task.TaskCompletion.Notice;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import java.util.function.Function;

/**
 * Ends tasks from outside their runs: cancel (R10) and time-out (R3), over the whole subtree, one
 * session in one transaction, parents before children – a stopped parent can delegate no more. The
 * runs find out by their lost leases.
 */
@ApplicationScoped
public class TaskStopper {

  private static final int BATCH = 100;
  private static final String CANCELLED = "Cancelled before it was done.";
  private static final String TIMED_OUT = "Not done: the task's time was over.";

  private final TaskStore tasks;
  private final StopStep step;
  private final Hints hints;
  private final Deadlines deadlines;

  TaskStopper(TaskStore tasks, StopStep step, Hints hints, Deadlines deadlines) {
    this.tasks = tasks;
    this.step = step;
    this.hints = hints;
    this.deadlines = deadlines;
  }

  void atStart(@Observes StartupEvent start) {
    deadlines.whenDue(this::endOverdue);
  }

  /**
   * Cancels a task and everything below it. One that has ended stays as it is.
   *
   * @return the task as it stands then; empty when there is none
   */
  public Optional<Task> cancel(TaskId id) {
    var task = tasks.find(id);
    task.filter(found -> found.state().isLive())
        .filter(found -> !step.leaveLine(found))
        .filter(found -> step.stop(found, CANCELLED, cancelled(), Notice.SEND))
        .ifPresent(found -> cancelBelow(found.child()));
    return tasks.find(id);
  }

  /**
   * Cancels a session's run and every task below it; when the session is itself a live task's
   * child, that task too, and those in line behind it. Its parent is told of that; what lies inside
   * the cancelled tree is told nothing more.
   *
   * @return how many tasks were cancelled
   */
  public int cancelSession(SessionId session) {
    var cancelled = step.endLine(session, Notice.SEND);
    if (step.stop(session, CANCELLED, cancelled(), Notice.SEND)) {
      cancelled++;
    } else {
      step.stopRun(session, CANCELLED);
    }
    return cancelled + cancelBelow(session);
  }

  /** Ends the tasks whose time is over; each task's own worker may have died. */
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void endOverdue() {
    for (var overdue : tasks.overdue(BATCH)) {
      Function<Task, TaskOutcome> ending =
          task -> TaskOutcome.timedOut(task.timeoutMs(), step.saidSoFar(task));
      if (step.stop(overdue, TIMED_OUT, ending, Notice.SEND)) {
        cancelBelow(overdue.child());
      }
    }
  }

  private int cancelBelow(SessionId parent) {
    hints.afterCommit(Topic.RUNS);
    return tasks.liveChildren(parent).stream().mapToInt(this::cancelChild).sum();
  }

  /** Who stands in line first: nobody may come to the front meanwhile. */
  private int cancelChild(SessionId child) {
    var waited = step.endLine(child, Notice.SUPPRESS);
    var worked = step.stop(child, CANCELLED, cancelled(), Notice.SUPPRESS) ? 1 : 0;
    return waited + worked + cancelBelow(child);
  }

  private Function<Task, TaskOutcome> cancelled() {
    return task -> TaskOutcome.cancelled(step.saidSoFar(task));
  }
}
