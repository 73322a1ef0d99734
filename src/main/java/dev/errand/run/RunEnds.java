package dev.errand.run;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.session.Lease;
import dev.errand.session.ModelCalls;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionRests;
import dev.errand.session.SessionRests.RestOutcome;
import dev.errand.session.SessionTotals;
import dev.errand.session.SessionTransitions;
import dev.errand.session.TurnStore;
import dev.errand.task.Retries;
import dev.errand.task.StopReason;
import dev.errand.task.TaskCompletion;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/**
 * The ends of runs: the session's transition and its consequences for the task commit together.
 * Runs that end because their session has to wait are in {@link RunWaits}.
 */
@Singleton
class RunEnds {

  private final SessionTransitions sessions;
  private final SessionRests rests;
  private final SessionHandover handover;
  private final TurnStore turns;
  private final ModelCalls modelCalls;
  private final Retries retries;
  private final TaskCompletion tasks;
  private final OutgoingMessages outgoing;
  private final Hints hints;

  RunEnds(
      SessionTransitions sessions,
      SessionRests rests,
      SessionHandover handover,
      TurnStore turns,
      ModelCalls modelCalls,
      Retries retries,
      TaskCompletion tasks,
      OutgoingMessages outgoing,
      Hints hints) {
    this.sessions = sessions;
    this.rests = rests;
    this.handover = handover;
    this.turns = turns;
    this.modelCalls = modelCalls;
    this.retries = retries;
    this.tasks = tasks;
    this.outgoing = outgoing;
    this.hints = hints;
  }

  /** The outcome of the end of a run. */
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
      Lease lease, MessageId id, TurnStore.ModelTurn turn, LoopEnd.Finished end, boolean again) {
    if (again && turns.isSaved(lease.session(), id)) {
      return RunEnd.COMMITTED;
    }
    return switch (rests.answer(lease, id, turn)) {
      case RestOutcome.Rests(var said) -> {
        finish(said.session(), end);
        outgoing.answered(said);
        yield RunEnd.COMMITTED;
      }
      case RestOutcome.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  /**
   * Ends a run whose final answer was saved before. A user who gets no answer gets what the agent
   * said before instead.
   */
  @Transactional
  RunEnd finish(Lease lease, LoopEnd.Finished end) {
    return switch (rests.idle(lease)) {
      case RestOutcome.Rests(var session) -> {
        finish(session, end);
        if (end.reason() == StopReason.NO_ANSWER) {
          outgoing.unanswered(session, end.text());
        }
        yield RunEnd.COMMITTED;
      }
      case RestOutcome.Overtaken<?> _ -> RunEnd.OVERTAKEN;
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
      case RestOutcome.Rests(var session) -> {
        rests.waitsBelow(session.id());
        yield RunEnd.COMMITTED;
      }
      case RestOutcome.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  /** Ends a run until a foreground task's answer arrives. */
  @Transactional
  RunEnd park(Lease lease) {
    return switch (rests.park(lease)) {
      case RestOutcome.Rests<?> _ -> RunEnd.COMMITTED;
      case RestOutcome.Overtaken<?> _ -> RunEnd.OVERTAKEN;
    };
  }

  /** Ends the run so that another worker continues it. */
  @Transactional
  void yield(Lease lease) {
    handover.yield(lease);
  }

  /** Ends the run permanently, or until the task's next attempt. */
  @Transactional
  void fail(Run run, LoopEnd.Failed end) {
    var lease = run.lease();
    run.modelCall().ifPresent(call -> modelCalls.failed(lease, call, end.code()));
    if (end.mayPass() && retries.scheduleRetry(lease, end.error())) {
      return;
    }
    if (sessions.fail(lease, end.reason())) {
      outgoing.failed(lease.session(), end);
    }
    taskFailed(lease.session(), end);
  }

  /** Reports that a session was stopped in this transaction because its run failed. */
  @Transactional(TxType.MANDATORY)
  void failed(SessionId session, LoopEnd.Failed end) {
    outgoing.failed(session, end);
    taskFailed(session, end);
  }

  private void taskFailed(SessionId session, LoopEnd.Failed end) {
    tasks.failed(session, end.error());
    hints.afterCommit(Topic.ENDS);
  }
}
