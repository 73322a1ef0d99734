package dev.errand.run;

import dev.errand.conversation.MessageId;
import dev.errand.node.Hints;
import dev.errand.node.Node;
import dev.errand.node.Topic;
import dev.errand.session.FailedModelCalls;
import dev.errand.session.Lease;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionRests;
import dev.errand.session.SessionRests.Rest;
import dev.errand.session.SessionStops;
import dev.errand.session.SessionTransitions;
import dev.errand.session.SessionUsage.SessionTotals;
import dev.errand.session.SuspendedSessions.Suspension;
import dev.errand.session.TreeStore;
import dev.errand.session.TurnStore;
import dev.errand.task.Retries;
import dev.errand.task.TaskCompletion;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskOutcome.StopReason;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.Objects;
import java.util.UUID;

/** The ends of runs: the session's transition and its consequences for the task commit together. */
@Singleton
class RunTransactions {

  private final SessionTransitions sessions;
  private final SessionRests rests;
  private final SessionStops stops;
  private final SessionHandover handover;
  private final TaskCompletion tasks;
  private final Retries retries;
  private final TurnStore turns;
  private final FailedModelCalls failedCalls;
  private final ModelWaits waits;
  private final Suspensions suspensions;
  private final OutgoingMessages outgoing;
  private final TreeStore trees;
  private final Node node;
  private final RunConfig config;
  private final Hints hints;
  private final RunMetrics metrics;

  RunTransactions(
      SessionTransitions sessions,
      SessionRests rests,
      SessionStops stops,
      SessionHandover handover,
      TaskCompletion tasks,
      Retries retries,
      TurnStore turns,
      FailedModelCalls failedCalls,
      ModelWaits waits,
      Suspensions suspensions,
      OutgoingMessages outgoing,
      TreeStore trees,
      Node node,
      RunConfig config,
      Hints hints,
      RunMetrics metrics) {
    this.sessions = sessions;
    this.rests = rests;
    this.stops = stops;
    this.handover = handover;
    this.tasks = tasks;
    this.retries = retries;
    this.turns = turns;
    this.failedCalls = failedCalls;
    this.waits = waits;
    this.suspensions = suspensions;
    this.outgoing = outgoing;
    this.trees = trees;
    this.node = node;
    this.config = config;
    this.hints = hints;
    this.metrics = metrics;
  }

  /** What became of the end of a run. */
  enum RunEnd {
    /** It is committed with all its consequences. */
    COMMITTED,
    /** An entry has arrived. Nothing was saved, and the run has to continue. */
    OVERTAKEN
  }

  /**
   * Saves the agent's final answer, and ends the run with it.
   *
   * @param id of the message; the same when this is repeated
   * @param again whether an earlier attempt may have been committed
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  RunEnd finish(
      Lease lease, MessageId id, TurnStore.Turn turn, LoopEnd.Finished end, boolean again) {
    if (again && turns.isSaved(lease.session(), id)) {
      return RunEnd.COMMITTED;
    }
    return switch (rests.answer(lease, id, turn)) {
      case Rest.Rests(var said) -> {
        var session = said.session();
        finish(session, end);
        outgoing.answered(said);
        trees.count(session.root(), turn.usage());
        yield RunEnd.COMMITTED;
      }
      case Rest.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  /**
   * Ends a run whose final answer was saved before. A user who gets no answer gets what the agent
   * said before instead.
   */
  @Transactional
  RunEnd finish(Lease lease, LoopEnd.Finished end) {
    return switch (rests.idle(lease)) {
      case Rest.Rests(var session) -> {
        finish(session, end);
        if (end.reason() == StopReason.NO_ANSWER) {
          outgoing.unanswered(session, end.text());
        }
        yield RunEnd.COMMITTED;
      }
      case Rest.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  private void finish(SessionTotals session, LoopEnd.Finished end) {
    tasks.completed(session, end.text(), end.reason());
    hints.afterCommit(Topic.ENDS);
  }

  /** Ends the run of a child until the tasks below it have ended. */
  @Transactional
  RunEnd expect(Lease lease) {
    return switch (rests.idle(lease)) {
      case Rest.Rests(var session) -> {
        rests.waitsBelow(session.id());
        yield RunEnd.COMMITTED;
      }
      case Rest.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  /** Ends a run until a foreground task's answer arrives. */
  @Transactional
  RunEnd park(Lease lease) {
    return switch (rests.park(lease)) {
      case Rest.Rests<?> _ -> RunEnd.COMMITTED;
      case Rest.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  @Transactional
  void yield(Lease lease) {
    handover.yield(lease);
  }

  /** Ends the run until its model can be called, or permanently when it has waited for too long. */
  @Transactional
  void putOff(Run run, LoopEnd.PutOff end) {
    var lease = run.lease();
    var away = end.away();
    if (!waits.putOff(lease, end)) {
      var last = Objects.requireNonNull(away);
      fail(run, new LoopEnd.Failed(last.code(), last.message()));
      return;
    }
    var error = away == null ? end.reason().word() : away.code();
    run.modelCall().ifPresent(call -> failedCalls.failed(lease, call, error));
  }

  /** Ends the run until its session is not suspended any more. */
  @Transactional
  void suspend(Run run, Suspension by) {
    suspensions.suspend(run.lease(), by);
    run.modelCall().ifPresent(call -> failedCalls.failed(run.lease(), call, by.word()));
  }

  /** Ends the run permanently, or until the task's next attempt. */
  @Transactional
  void fail(Run run, LoopEnd.Failed end) {
    var lease = run.lease();
    sessions.lock(lease);
    run.modelCall().ifPresent(call -> failedCalls.failed(lease, call, end.code()));
    if (end.mayPass() && retries.scheduleRetry(lease, error(end))) {
      return;
    }
    if (sessions.fail(lease, reason(end))) {
      outgoing.failed(lease.session(), end);
    }
    tasks.failed(lease.session(), error(end));
    hints.afterCommit(Topic.ENDS);
  }

  /**
   * Takes a session over from a dead worker, if that worker still owns it. A session that keeps
   * killing its workers fails instead.
   */
  @Transactional
  void takeOver(Lease lease, UUID deadNode, String reason) {
    var session = lease.session();
    var takeovers = handover.takeOver(lease, deadNode, reason);
    if (takeovers.isEmpty()) {
      return;
    }
    metrics.takenOver(reason);
    tasks.takenOver(session);
    if (takeovers.get() >= config.takeovers()) {
      var end =
          new LoopEnd.Failed(
              FailureCode.WORKER_LOST,
              "its worker died " + takeovers.get() + " times in a row without finishing a turn");
      stops.abandon(session, reason(end));
      outgoing.failed(session, end);
      tasks.failed(session, error(end));
      hints.afterCommit(Topic.ENDS);
    }
  }

  /** Queues a session for another node because this node stops; this counts as no takeover. */
  @Transactional
  void release(Lease lease) {
    handover.release(lease, node.id());
  }

  private static TaskOutcome.Error error(LoopEnd.Failed end) {
    return new TaskOutcome.Error(end.code(), end.message());
  }

  private static String reason(LoopEnd.Failed end) {
    return "The run ended with an error (" + end.code() + "): " + end.message();
  }
}
