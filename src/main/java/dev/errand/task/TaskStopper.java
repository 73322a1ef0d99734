package dev.errand.task;

import dev.errand.auth.Audit;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.session.LiveSessions;
import dev.errand.task.SessionStopper.Stop;
import dev.errand.worktree.OwedChanges;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends tasks from outside their runs: cancel and time-out. The whole subtree is ended, one session
 * per transaction, parents before children, because a stopped parent cannot delegate any more. The
 * runs notice it by their lost leases.
 */
@Singleton
public class TaskStopper {

  private static final Logger LOG = Logger.getLogger(TaskStopper.class);

  private static final String CANCELLED = "Cancelled before it was done.";

  private final TaskStore tasks;
  private final LiveSessions sessions;
  private final NestedTasks nested;
  private final TaskCompletion completion;
  private final SessionStopper stopper;
  private final Hints hints;
  private final Audit audit;
  private final OwedChanges changes;

  TaskStopper(
      TaskStore tasks,
      LiveSessions sessions,
      NestedTasks nested,
      TaskCompletion completion,
      SessionStopper stopper,
      Hints hints,
      Audit audit,
      OwedChanges changes) {
    this.tasks = tasks;
    this.sessions = sessions;
    this.nested = nested;
    this.completion = completion;
    this.stopper = stopper;
    this.hints = hints;
    this.audit = audit;
    this.changes = changes;
  }

  /**
   * Cancels a task and all tasks below it. A task that has ended is not changed.
   *
   * @return the task after that; empty when it does not exist
   */
  public Optional<Task> cancel(TaskId id) {
    return cancel(id, ParentNotice.SEND);
  }

  /** Cancels a task at the request of its parent, which is not notified. */
  public Optional<Task> cancelOwn(TaskId id) {
    return cancel(id, ParentNotice.KNOWN);
  }

  private Optional<Task> cancel(TaskId id, ParentNotice notice) {
    var task = tasks.find(id);
    task.filter(found -> found.state().isLive())
        .filter(
            found -> !inTransaction(() -> stopper.cancelQueued(found, notice) && recorded(found)))
        .filter(
            found -> inTransaction(() -> stopper.stop(found, cancelled(notice)) && recorded(found)))
        .ifPresent(found -> cancelBelow(found.child(), tasks.now()));
    return tasks.find(id);
  }

  private boolean recorded(Task cancelled) {
    audit.record("task.cancel", cancelled.parent(), cancelled.id(), Map.of());
    return true;
  }

  /**
   * Cancels a session's run, and all tasks and runs below the session. When the session is the
   * child of a live task, this task and those queued for the child are cancelled too, and their
   * parent is notified. Within the cancelled tree no session is woken.
   *
   * @return how many of the tasks that were live at the start are cancelled now; the sweep for
   *     orphans may have cancelled some of them first
   */
  public int cancelSession(SessionId session) {
    var live = nested.liveWithin(session);
    inTransaction(() -> stopAll(session));
    cancelBelow(session, tasks.now());
    sessions
        .drivenBelow(session)
        .forEach(child ->
            QuarkusTransaction.requiringNew()
                .run(() -> stopper.stopRunWithoutTask(child, CANCELLED)));
    return nested.cancelled(live);
  }

  /**
   * Stops all in one transaction, so that no task begins between the end of the tasks and that of
   * the run.
   */
  private boolean stopAll(SessionId session) {
    stopper.cancelAllQueued(session, ParentNotice.SEND);
    audit.record("session.cancel", session, null, Map.of());
    if (!stopper.stop(session, cancelled(ParentNotice.SEND))) {
      stopper.stopRun(session, CANCELLED);
    }
    return true;
  }

  /**
   * Ends a task that has timed out, and cancels all tasks below it. Does nothing when its child
   * does not work on it any more, or another transaction has locked the child.
   */
  void timeOut(OverdueTasks.OverdueTask late, Stop stop) {
    if (inTransaction(() -> stopper.stop(late, stop))) {
      cancelBelow(late.child(), tasks.now());
    }
  }

  /**
   * A child that cannot be cancelled does not keep its siblings from being cancelled.
   *
   * @param stoppedAt when the parent was stopped; it may have been started again since then, and
   *     what it delegates then continues
   * @throws RuntimeException one of them could not be cancelled; the call can be repeated
   */
  private void cancelBelow(SessionId parent, Instant stoppedAt) {
    hints.afterCommit(Topic.RUNS);
    @Nullable RuntimeException failure = null;
    for (var child : tasks.liveChildren(parent, stoppedAt)) {
      try {
        cancelChild(child, stoppedAt);
      } catch (RuntimeException fault) {
        LOG.warnf(fault, "The tasks of %s could not be cancelled", child);
        failure = fault;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Cancels the queued tasks first, so that none of them starts when the current task ends. */
  private void cancelChild(SessionId child, Instant stoppedAt) {
    Predicate<Task> older = task -> !task.createdAt().isAfter(stoppedAt);
    QuarkusTransaction.requiringNew()
        .run(() -> stopper.cancelQueued(child, older, ParentNotice.SUPPRESS));
    var isStopped =
        inTransaction(() -> stopper.stop(child, older, cancelled(ParentNotice.SUPPRESS)));
    cancelBelow(child, isStopped ? tasks.now() : stoppedAt);
  }

  private Stop cancelled(ParentNotice notice) {
    return new Stop(CANCELLED, task -> TaskOutcome.cancelled(completion.saidSoFar(task)), notice);
  }

  private boolean inTransaction(BooleanSupplier step) {
    return changes.around(() -> QuarkusTransaction.requiringNew().call(step::getAsBoolean));
  }
}
