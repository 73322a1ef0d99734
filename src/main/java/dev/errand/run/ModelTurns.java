package dev.errand.run;

import dev.errand.context.Conversation;
import dev.errand.context.ModelLimits;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply;
import dev.errand.session.Session;
import dev.errand.session.TurnBoundary;
import jakarta.inject.Singleton;

/**
 * Asks models for the next answer of a conversation, and saves it. A conversation that is too long
 * is shortened: before it is sent, and once more when the model refuses it.
 */
@Singleton
class ModelTurns {

  private final TurnRequests requests;
  private final WholeAnswers model;
  private final ModelCaller caller;
  private final AnswerSaver answers;
  private final TurnTransactions transactions;
  private final ModelLimits limits;
  private final ConversationMemory memory;
  private final RunMetrics metrics;

  ModelTurns(
      TurnRequests requests,
      WholeAnswers model,
      ModelCaller caller,
      AnswerSaver answers,
      TurnTransactions transactions,
      ModelLimits limits,
      ConversationMemory memory,
      RunMetrics metrics) {
    this.requests = requests;
    this.model = model;
    this.caller = caller;
    this.answers = answers;
    this.transactions = transactions;
    this.limits = limits;
    this.memory = memory;
    this.metrics = metrics;
  }

  /** Returns the conversation of a run, without messages. */
  Conversation conversation(Session session) {
    return new Conversation(limits.of(session.model()));
  }

  /**
   * Takes a turn that begins with the last message of its conversation.
   *
   * @param settled the turn boundary before it
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  TurnEnd take(TurnRequests.RunTurn turn, TurnBoundary.SettledTurn settled) {
    var session = turn.shift().session();
    settled.oldestEnd().ifPresent(metrics::resumed);
    turn.conversation().mayFill(limits.of(caller.first(session.model(), session.tenant())));
    try {
      return requests
          .of(turn)
          .map(request -> answered(turn, request))
          .orElseGet(TurnEnd.Continues::new);
    } catch (CallDelayed later) {
      return new TurnEnd.EndsRun(later.end());
    } catch (ModelException fault) {
      return fault.code() == Code.MODEL_CONTEXT_EXCEEDED
          ? refused(turn, fault)
          : new TurnEnd.EndsRun(LoopEnd.Failed.of(fault));
    }
  }

  private TurnEnd answered(TurnRequests.RunTurn turn, OutgoingRequest request) {
    var shift = turn.shift();
    ModelReply reply;
    try {
      reply = model.call(shift.session(), request, shift.run());
    } finally {
      request.sent();
    }
    var end = answers.save(shift.run(), reply, turn.closing(), request.kept());
    turn.conversation().answered();
    return end;
  }

  /** The next turn sends less, unless this one did. */
  private TurnEnd refused(TurnRequests.RunTurn turn, ModelException fault) {
    var run = turn.shift().run();
    var conversation = turn.conversation();
    if (!memory.reserve(run, conversation.storedChars())) {
      return new TurnEnd.EndsRun(LoopEnd.Delayed.forMemory());
    }
    if (conversation.wasRefused() || !requests.isShortened(turn)) {
      return new TurnEnd.EndsRun(LoopEnd.Failed.tooLong(turn.shift().session().model(), fault));
    }
    transactions.refused(run, fault.word());
    run.calls(null);
    return new TurnEnd.Continues();
  }
}
