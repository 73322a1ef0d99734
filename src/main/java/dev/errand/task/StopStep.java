package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Takes one session from its run and ends its task, in one transaction. */
@ApplicationScoped
class StopStep {

  private final SessionTransitions sessions;
  private final TaskStore tasks;
  private final TaskCompletion ends;
  private final ChildQueue line;
  private final OutboxStore outbox;
  private final Hints hints;

  StopStep(
      SessionTransitions sessions,
      TaskStore tasks,
      TaskCompletion ends,
      ChildQueue line,
      OutboxStore outbox,
      Hints hints) {
    this.sessions = sessions;
    this.tasks = tasks;
    this.ends = ends;
    this.line = line;
    this.outbox = outbox;
    this.hints = hints;
  }

  private record Stop(
      String answer, Function<Task, TaskOutcome> ending, TaskCompletion.Notice notice) {}

  /**
   * Ends the live task whose child this session is.
   *
   * @param answer what the child's open tool calls are answered with
   * @return false when there is no live task; nothing was changed then
   */
  @Transactional
  boolean stop(
      SessionId child,
      String answer,
      Function<Task, TaskOutcome> ending,
      TaskCompletion.Notice notice) {
    return stopLive(child, _ -> true, new Stop(answer, ending, notice));
  }

  /**
   * Ends this task, if it still has its session: by now that may work for another one.
   *
   * @return false when it has not; nothing was changed then
   */
  @Transactional
  boolean stop(
      Task wanted,
      String answer,
      Function<Task, TaskOutcome> ending,
      TaskCompletion.Notice notice) {
    return stopLive(
        wanted.child(), live -> live.id().equals(wanted.id()), new Stop(answer, ending, notice));
  }

  /**
   * Cancels a task that stands in line; whoever has its session works on.
   *
   * @return false when it does not, or no longer
   */
  @Transactional
  boolean leaveLine(Task task) {
    sessions.lock(task.child());
    if (!line.waitingFor(task.child()).contains(task.id())) {
      return false;
    }
    cancelInLine(task.id(), TaskCompletion.Notice.SEND);
    return true;
  }

  /**
   * Cancels all that stand in line for a child.
   *
   * @return how many they were
   */
  @Transactional
  int endLine(SessionId child, TaskCompletion.Notice notice) {
    sessions.lock(child);
    var waiting = line.waitingFor(child);
    waiting.forEach(task -> cancelInLine(task, notice));
    return waiting.size();
  }

  private void cancelInLine(TaskId id, TaskCompletion.Notice notice) {
    tasks.find(id).ifPresent(task -> ends.end(task, TaskOutcome.cancelled(""), notice));
  }

  private boolean stopLive(SessionId child, Predicate<Task> which, Stop stop) {
    sessions.lock(child);
    var live = tasks.lockLive(child).filter(which);
    live.ifPresent(task -> {
      var end = stop.ending().apply(task);
      sessions.stop(child, stop.answer());
      outbox.suppressFor(child);
      ends.end(task, end, stop.notice());
      hints.afterCommit(Topic.RUNS);
    });
    return live.isPresent();
  }

  /** Takes a session from its run; one that rests is left as it is. */
  @Transactional
  void stopRun(SessionId session, String answer) {
    if (sessions.lock(session)) {
      sessions.stop(session, answer);
      outbox.suppressFor(session);
      hints.afterCommit(Topic.RUNS);
      hints.afterCommit(Topic.ENDS);
    }
  }

  String saidSoFar(Task task) {
    return ends.saidSoFar(task);
  }
}
