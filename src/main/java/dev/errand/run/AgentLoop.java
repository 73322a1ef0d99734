package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.context.Conversation;
import dev.errand.session.OpenCall;
import dev.errand.session.ToolCallState;
import dev.errand.session.TurnBoundary;
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
  private final Spans spans;
  private final ToolRunner tools;
  private final FinalAnswers finals;
  private final RunWorkspaces workspaces;
  private final Suspensions suspensions;
  private final ConversationMemory memory;
  private final Budgets budgets;
  private final ModelTurns turns;

  AgentLoop(
      TurnBoundary boundary,
      Spans spans,
      ToolRunner tools,
      FinalAnswers finals,
      RunWorkspaces workspaces,
      Suspensions suspensions,
      ConversationMemory memory,
      Budgets budgets,
      ModelTurns turns) {
    this.boundary = boundary;
    this.spans = spans;
    this.tools = tools;
    this.finals = finals;
    this.workspaces = workspaces;
    this.suspensions = suspensions;
    this.memory = memory;
    this.budgets = budgets;
    this.turns = turns;
  }

  /**
   * A run that is driven.
   *
   * @param agent null when it is not defined any more
   * @param forbidden why the run may not use its workspace; empty if it may
   */
  private record Driven(
      ToolRunner.Shift shift,
      Conversation conversation,
      @Nullable AgentDefinition agent,
      Optional<LoopEnd> forbidden) {}

  /**
   * Runs until there is nothing more to do for now. All that was done is saved when it returns.
   *
   * @param agent the session's agent as defined when the run starts; null when it is not defined
   *     any more
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was written
   *     after that
   */
  LoopEnd run(RunStarts.ClaimedRun claimed, @Nullable AgentDefinition agent, Run run) {
    var session = claimed.session();
    var driven =
        new Driven(
            new ToolRunner.Shift(claimed.lease(), session, run),
            turns.conversation(session),
            agent,
            workspaces.open(session, run));
    var settled = settle(driven, claimed.boundary());
    while (settled.isPresent()) {
      var end = step(driven, settled.get());
      if (end.isPresent()) {
        return end.get();
      }
      settled = settle(driven, claimed.boundary());
    }
    return new LoopEnd.Interrupted();
  }

  /**
   * Begins a turn with the messages as they are now.
   *
   * @param claimed the turn that began with the claim; it is taken out
   * @return empty when the run is to yield
   */
  private Optional<TurnBoundary.SettledTurn> settle(
      Driven driven, AtomicReference<TurnBoundary.@Nullable BegunTurn> claimed) {
    var shift = driven.shift();
    var begun = claimed.getAndSet(null);
    if (begun == null) {
      if (shift.run().shouldYield()) {
        return Optional.empty();
      }
      var session = shift.session();
      begun = boundary.settle(shift.lease(), session.model(), budgets.ofDay(session));
    }
    driven.conversation().reload(begun.transcript());
    shift.run().calls(begun.settled().call().orElse(null));
    begun.settled().traces().forEach(spans::takesUp);
    return Optional.of(begun.settled());
  }

  /**
   * Runs the open calls, or else asks the model if there is something to answer. Returns the end of
   * the run; empty when the run continues.
   */
  private Optional<LoopEnd> step(Driven driven, TurnBoundary.SettledTurn settled) {
    var open = settled.open();
    if (open.isEmpty()) {
      return answer(driven, settled);
    }
    if (open.stream().allMatch(call -> call.state() == ToolCallState.DEFERRED)) {
      return Optional.of(new LoopEnd.Waiting());
    }
    driven.conversation().unload();
    return call(driven.shift(), open);
  }

  private Optional<LoopEnd> call(ToolRunner.Shift shift, List<OpenCall> calls) {
    if (!memory.reserve(shift.run(), 0)) {
      return Optional.of(LoopEnd.Delayed.forMemory());
    }
    tools.run(shift, calls);
    return Optional.empty();
  }

  private Optional<LoopEnd> answer(Driven driven, TurnBoundary.SettledTurn settled) {
    var shift = driven.shift();
    var conversation = driven.conversation();
    var turnsLeft = shift.session().maxTurns() - settled.runTurns();
    if (conversation.nothingToAnswer()) {
      var end = finals.end(shift.session(), conversation, turnsLeft < 0);
      if (end.isPresent()) {
        return end;
      }
      shift.run().calls(finals.ask(shift.lease(), shift.session()));
    }
    var agent = driven.agent();
    if (agent == null) {
      return Optional.of(LoopEnd.Failed.unknownAgent(shift.session().agent()));
    }
    var turn =
        new TurnRequests.RunTurn(shift, agent, conversation, Closing.of(conversation, turnsLeft));
    return driven.forbidden().or(() -> notNow(driven, settled)).or(() -> ask(turn, settled));
  }

  /** Returns why the model is not called now: a pause, no memory, or a budget that is used up. */
  private Optional<LoopEnd> notNow(Driven driven, TurnBoundary.SettledTurn settled) {
    var session = driven.shift().session();
    var run = driven.shift().run();
    var pause = suspensions.byPause(session);
    if (pause.isPresent()) {
      return pause.map(LoopEnd.Suspended::new);
    }
    return memory.reserve(run, driven.conversation().storedChars())
        ? budgets.check(session, settled, run)
        : Optional.of(LoopEnd.Delayed.forMemory());
  }

  private Optional<LoopEnd> ask(TurnRequests.RunTurn turn, TurnBoundary.SettledTurn settled) {
    return switch (turns.take(turn, settled)) {
      case TurnEnd.EndsRun(var end) -> Optional.of(end);
      case TurnEnd.AsksFor(var calls) ->
          turn.shift().run().shouldYield() ? Optional.empty() : call(turn.shift(), calls);
      case TurnEnd.Continues _ -> Optional.empty();
    };
  }
}
