package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.function.Function;

/** Takes one session from its run and ends its task, in one transaction. */
@ApplicationScoped
class StopStep {

  private final SessionTransitions sessions;
  private final TaskStore tasks;
  private final TaskEnds ends;
  private final OutboxStore outbox;
  private final Hints hints;

  StopStep(
      SessionTransitions sessions,
      TaskStore tasks,
      TaskEnds ends,
      OutboxStore outbox,
      Hints hints) {
    this.sessions = sessions;
    this.tasks = tasks;
    this.ends = ends;
    this.outbox = outbox;
    this.hints = hints;
  }

  /**
   * Ends the live task whose child this session is.
   *
   * @param answer what the child's open tool calls are answered with
   * @return false when there is no live task; nothing was changed then
   */
  @Transactional
  boolean stop(
      SessionId child, String answer, Function<Task, Ending> ending, TaskEnds.Notice notice) {
    sessions.lock(child);
    var live = tasks.lockLive(child);
    live.ifPresent(task -> {
      var end = ending.apply(task);
      sessions.stop(child, answer);
      outbox.suppressFor(child);
      ends.end(task, end, notice);
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
