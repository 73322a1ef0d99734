package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.context.Conversation;
import dev.errand.context.ModelLimits;
import dev.errand.model.Fallbacks;
import dev.errand.model.LanguageModel.ModelReply;
import dev.errand.model.ModelException;
import dev.errand.session.OpenCall;
import dev.errand.session.ToolCallState;
import dev.errand.session.TurnBoundary;
import dev.errand.tenant.Tenants;
import dev.errand.trace.Spans;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Drives one session, turn by turn: settle the inbox, run the open tool calls, ask the model, save
 * the answer. Every turn starts from the state in the database, so resuming after a crash and
 * continuing after a turn are the same code, and a run keeps no conversation while its model
 * answers or its tools work. Exception: the calls of an answer run as soon as it is saved, because
 * nothing may enter the transcript before their results.
 */
@Singleton
class AgentLoop {

  private final TurnBoundary boundary;
  private final TurnTransactions turns;
  private final AnswerSaver answers;
  private final FinalAnswers finals;
  private final ToolRunner tools;
  private final WholeAnswers model;
  private final Fallbacks fallbacks;
  private final ModelLimits limits;
  private final Tenants tenants;
  private final TurnRequests requests;
  private final Budgets budgets;
  private final RunMetrics metrics;
  private final Suspensions suspensions;
  private final ConversationMemory memory;
  private final RunWorkspaces workspaces;
  private final Spans spans;

  AgentLoop(
      TurnBoundary boundary,
      TurnTransactions turns,
      AnswerSaver answers,
      FinalAnswers finals,
      ToolRunner tools,
      WholeAnswers model,
      Fallbacks fallbacks,
      ModelLimits limits,
      Tenants tenants,
      TurnRequests requests,
      Budgets budgets,
      RunMetrics metrics,
      Suspensions suspensions,
      ConversationMemory memory,
      RunWorkspaces workspaces,
      Spans spans) {
    this.boundary = boundary;
    this.turns = turns;
    this.answers = answers;
    this.finals = finals;
    this.tools = tools;
    this.model = model;
    this.fallbacks = fallbacks;
    this.limits = limits;
    this.tenants = tenants;
    this.requests = requests;
    this.budgets = budgets;
    this.metrics = metrics;
    this.suspensions = suspensions;
    this.memory = memory;
    this.workspaces = workspaces;
    this.spans = spans;
  }

  /**
   * Runs until there is nothing more to do for now. All that was done is saved when it returns.
   *
   * @param agent the session's agent as defined when the run starts; null when it is not defined
   *     any more
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was written
   *     after that
   */
  LoopEnd run(RunStarts.Claimed claimed, @Nullable AgentDefinition agent, Run run) {
    var session = claimed.session();
    var shift = new ToolRunner.Shift(claimed.lease(), session, run);
    var conversation = new Conversation(limits.of(session.model()));
    var forbidden = workspaces.open(session, run);
    var refused = false;
    for (var next = settle(shift, conversation, claimed.boundary());
        next.isPresent();
        next = settle(shift, conversation, claimed.boundary())) {
      var settled = next.get();
      if (!settled.open().isEmpty()) {
        if (settled.open().stream().allMatch(call -> call.state() == ToolCallState.DEFERRED)) {
          return new LoopEnd.Waiting();
        }
        conversation.unload();
        var end = call(shift, settled.open());
        if (end != null) {
          return end;
        }
        continue;
      }
      var turnsLeft = session.maxTurns() - settled.runTurns();
      if (conversation.nothingToAnswer()) {
        var end = finals.end(session, conversation, turnsLeft < 0);
        if (end.isPresent()) {
          return end.get();
        }
        run.calls(finals.ask(shift.lease(), session));
      }
      if (agent == null) {
        return LoopEnd.Failed.unknownAgent(session.agent());
      }
      if (forbidden.isPresent()) {
        return forbidden.get();
      }
      var pause = suspensions.byPause(session);
      if (pause.isPresent()) {
        return new LoopEnd.Suspended(pause.get());
      }
      if (!memory.hold(run, conversation.storedChars())) {
        return ModelWaits.forMemory();
      }
      var broke = budgets.check(session, settled, run);
      if (broke.isPresent()) {
        return broke.get();
      }
      settled.oldestEnd().ifPresent(metrics::resumed);
      conversation.mayFill(
          limits.of(fallbacks.first(session.model(), tenants.of(session.tenant()).models())));
      var turn =
          new TurnRequests.Turn(shift, agent, conversation, Closing.of(conversation, turnsLeft));
      try {
        var request = requests.of(turn);
        if (request.isEmpty()) {
          continue;
        }
        var end = answered(turn, request.get());
        if (end != null) {
          return end;
        }
        refused = false;
      } catch (CallPutOff later) {
        return LoopEnd.PutOff.of(later);
      } catch (ModelException fault) {
        if (fault.code() != ModelException.Code.MODEL_CONTEXT_EXCEEDED) {
          return LoopEnd.Failed.of(fault);
        }
        if (!memory.hold(run, conversation.storedChars())) {
          return ModelWaits.forMemory();
        }
        if (refused || !requests.isShortened(turn)) {
          return LoopEnd.Failed.tooLong(session.model(), fault);
        }
        turns.refused(run, fault.word());
        run.calls(null);
        refused = true;
      }
    }
    return new LoopEnd.Interrupted();
  }

  /**
   * Begins a turn with the messages as they are now.
   *
   * @param claimed the turn that began with the claim; it is taken out
   * @return empty when the run is to yield
   */
  private Optional<TurnBoundary.Settled> settle(
      ToolRunner.Shift shift,
      Conversation conversation,
      AtomicReference<TurnBoundary.@Nullable Begun> claimed) {
    var begun = claimed.getAndSet(null);
    if (begun == null) {
      if (shift.run().shouldYield()) {
        return Optional.empty();
      }
      var session = shift.session();
      begun = boundary.settle(shift.lease(), session.model(), budgets.ofDay(session));
    }
    conversation.reload(begun.transcript());
    shift.run().calls(begun.settled().call().orElse(null));
    begun.settled().traces().forEach(spans::takesUp);
    return Optional.of(begun.settled());
  }

  /** Runs calls. Returns the end of the run if there is no memory for it, or null. */
  private @Nullable LoopEnd call(ToolRunner.Shift shift, List<OpenCall> calls) {
    if (!memory.hold(shift.run(), 0)) {
      return ModelWaits.forMemory();
    }
    tools.run(shift, calls);
    return null;
  }

  /**
   * Asks the model, and runs the calls of its answer. Returns the end of the run, or null to
   * continue.
   */
  private @Nullable LoopEnd answered(TurnRequests.Turn turn, OutgoingRequest request) {
    var shift = turn.shift();
    ModelReply reply;
    try {
      reply = model.call(shift.session(), request, shift.run());
    } finally {
      request.sent();
    }
    var saved = answers.save(shift.run(), reply, turn.closing());
    if (saved.calls().isEmpty() || shift.run().shouldYield()) {
      return saved.end();
    }
    return call(shift, saved.calls());
  }
}
