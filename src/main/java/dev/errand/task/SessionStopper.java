package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.ClientCalls;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionStops;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Takes sessions from their runs and ends their tasks. Each method is one step in the transaction
 * of its caller and locks the session first.
 */
@Singleton
class SessionStopper {

  private final SessionLocks locks;
  private final SessionStops stops;
  private final ClientCalls calls;
  private final TaskStore tasks;
  private final TaskCompletion completion;
  private final ChildQueue queue;
  private final OutboxStore outbox;
  private final Hints hints;

  SessionStopper(
      SessionLocks locks,
      SessionStops stops,
      ClientCalls calls,
      TaskStore tasks,
      TaskCompletion completion,
      ChildQueue queue,
      OutboxStore outbox,
      Hints hints) {
    this.locks = locks;
    this.stops = stops;
    this.calls = calls;
    this.tasks = tasks;
    this.completion = completion;
    this.queue = queue;
    this.outbox = outbox;
    this.hints = hints;
  }

  /**
   * The way in which a task is ended.
   *
   * @param answer the answer to the child's open tool calls
   * @param outcome the task's outcome, made from the task as read under its lock
   */
  record Stop(String answer, Function<Task, TaskOutcome> outcome, ParentNotice notice) {}

  /**
   * Ends the live task of a child.
   *
   * @return false when the child has no live task; nothing is changed then
   */
  @Transactional(TxType.MANDATORY)
  boolean stop(SessionId child, Stop stop) {
    return stop(child, _ -> true, stop);
  }

  /** Ends the child's task if it is one of these, as {@link #stop(SessionId, Stop)} does. */
  @Transactional(TxType.MANDATORY)
  boolean stop(SessionId child, Predicate<Task> which, Stop stop) {
    locks.lock(child);
    return stopLive(child, which, stop);
  }

  /**
   * Ends this task if its child still works on it: the child may work on another task by now.
   *
   * @return false when the child does not work on it; nothing is changed then
   */
  @Transactional(TxType.MANDATORY)
  boolean stop(Task wanted, Stop stop) {
    locks.lock(wanted.child());
    return stopLive(wanted.child(), live -> live.id().equals(wanted.id()), stop);
  }

  /**
   * Ends this task if it has timed out and its child still works on it.
   *
   * @return false when the child does not work on it, or another transaction has locked the child
   */
  @Transactional(TxType.MANDATORY)
  boolean stop(OverdueTasks.OverdueTask overdue, Stop stop) {
    return locks.tryLock(overdue.child())
        && stopLive(overdue.child(), live -> live.id().equals(overdue.id()), stop);
  }

  private boolean stopLive(SessionId child, Predicate<Task> which, Stop stop) {
    var live = tasks.lockLive(child).filter(which);
    live.ifPresent(task -> {
      var outcome = stop.outcome().apply(task);
      stops.stop(child, stop.answer());
      outbox.suppressFor(child);
      completion.end(task, outcome, stop.notice());
      hints.afterCommit(Topic.RUNS);
    });
    return live.isPresent();
  }

  /**
   * Takes a session from its run, if it has one. The tool calls of a client are answered. Tasks
   * that end before they can be cancelled do not wake the session.
   */
  @Transactional(TxType.MANDATORY)
  void stopRun(SessionId session, String answer) {
    var isDriven = locks.lock(session);
    stops.cancelled(session);
    if (isDriven) {
      stops.stop(session, answer);
      outbox.suppressFor(session);
      hints.afterCommit(Topic.RUNS);
      hints.afterCommit(Topic.ENDS);
    } else {
      calls.endAll(session, answer);
    }
  }

  /** Stops the run of a child that has no live task, for example one that answers a client. */
  @Transactional(TxType.MANDATORY)
  void stopRunWithoutTask(SessionId child, String answer) {
    locks.lock(child);
    if (tasks.lockLive(child).isEmpty()) {
      stopRun(child, answer);
    }
  }

  /**
   * Cancels a task that is queued for a busy child; the child continues with its current task.
   *
   * @return false when the task is not queued
   */
  @Transactional(TxType.MANDATORY)
  boolean cancelQueued(Task task, ParentNotice notice) {
    locks.lock(task.child());
    if (!queue.waitingFor(task.child()).contains(task.id())) {
      return false;
    }
    completion.end(task, TaskOutcome.cancelled(""), notice);
    return true;
  }

  /**
   * Cancels all tasks that are queued for a child.
   *
   * @return the number of these tasks
   */
  @Transactional(TxType.MANDATORY)
  int cancelAllQueued(SessionId child, ParentNotice notice) {
    return cancelQueued(child, _ -> true, notice);
  }

  /** Cancels those of the queued tasks that the predicate accepts. */
  @Transactional(TxType.MANDATORY)
  int cancelQueued(SessionId child, Predicate<Task> which, ParentNotice notice) {
    locks.lock(child);
    var waiting =
        queue.waitingFor(child).stream()
            .flatMap(id -> tasks.find(id).stream())
            .filter(which)
            .toList();
    waiting.forEach(task -> completion.end(task, TaskOutcome.cancelled(""), notice));
    return waiting.size();
  }
}
