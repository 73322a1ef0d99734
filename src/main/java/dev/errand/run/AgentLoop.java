package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.context.Conversation;
import dev.errand.context.Frame;
import dev.errand.context.ModelLimits;
import dev.errand.conversation.UntrustedText;
import dev.errand.model.Fallbacks;
import dev.errand.model.LanguageModel.ModelRequest;
import dev.errand.model.ModelException;
import dev.errand.session.Lease;
import dev.errand.session.OpenCall;
import dev.errand.session.Session;
import dev.errand.session.ToolCallState;
import dev.errand.session.Transcript;
import dev.errand.session.TurnBoundary;
import dev.errand.tenant.Tenants;
import dev.errand.trace.Spans;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Drives one session, turn by turn: settle the inbox, run the open tool calls, ask the model, save
 * the answer. Every step starts from the state in the database, so resuming after a crash and
 * continuing after a turn are the same code. Exception: the calls of an answer run as soon as it is
 * saved, because nothing may enter the transcript before their results.
 */
@Singleton
class AgentLoop {

  private final Transcript transcript;
  private final TurnBoundary boundary;
  private final TurnTransactions turns;
  private final AnswerSaver answers;
  private final FinalAnswers finals;
  private final ToolRunner tools;
  private final WholeAnswers model;
  private final Fallbacks fallbacks;
  private final ModelLimits limits;
  private final Tenants tenants;
  private final Compaction compaction;
  private final SystemPrompts prompts;
  private final Budgets budgets;
  private final RunMetrics metrics;
  private final Suspensions suspensions;
  private final ConversationMemory memory;
  private final RunWorkspaces workspaces;
  private final Spans spans;

  AgentLoop(
      Transcript transcript,
      TurnBoundary boundary,
      TurnTransactions turns,
      AnswerSaver answers,
      FinalAnswers finals,
      ToolRunner tools,
      WholeAnswers model,
      Fallbacks fallbacks,
      ModelLimits limits,
      Tenants tenants,
      Compaction compaction,
      SystemPrompts prompts,
      Budgets budgets,
      RunMetrics metrics,
      Suspensions suspensions,
      ConversationMemory memory,
      RunWorkspaces workspaces,
      Spans spans) {
    this.transcript = transcript;
    this.boundary = boundary;
    this.turns = turns;
    this.answers = answers;
    this.finals = finals;
    this.tools = tools;
    this.model = model;
    this.fallbacks = fallbacks;
    this.limits = limits;
    this.tenants = tenants;
    this.compaction = compaction;
    this.prompts = prompts;
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
   * @param begun the turn boundary that the claim contained; null when there was none
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was written
   *     after that
   */
  LoopEnd run(
      Lease lease,
      Session session,
      @Nullable AgentDefinition agent,
      Run run,
      RunStarts.@Nullable FirstBoundary begun) {
    var shift = new ToolRunner.Shift(lease, session, run);
    var before = begun == null ? transcript.current(session.id()) : begun.transcript();
    var conversation = new Conversation(before, limits.of(session.model()));
    var first = begun == null ? null : begun.settled();
    var forbidden = workspaces.open(session, run);
    var refused = false;
    while (first != null || !run.shouldYield()) {
      var settled =
          first == null
              ? boundary.settle(lease, conversation.last(), session.model(), budgets.ofDay(session))
              : first;
      first = null;
      run.calls(settled.call().orElse(null));
      conversation.addAll(settled.added());
      settled.traces().forEach(spans::takesUp);
      if (!settled.open().isEmpty()) {
        if (settled.open().stream().allMatch(call -> call.state() == ToolCallState.DEFERRED)) {
          return new LoopEnd.Waiting();
        }
        var end = call(shift, conversation, settled.open());
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
        run.calls(finals.ask(lease, session));
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
      var closing = Closing.of(conversation, turnsLeft);
      var frame = frame(shift, agent, conversation);
      try {
        if (compaction.beforeCall(shift, conversation, frame)) {
          continue;
        }
        var end = turn(shift, conversation, frame, closing);
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
        if (refused || !compaction.afterRefusal(shift, conversation, frame)) {
          return LoopEnd.Failed.tooLong(session.model(), fault);
        }
        turns.refused(run, fault.word());
        run.calls(null);
        refused = true;
      }
    }
    return new LoopEnd.Interrupted();
  }

  private Frame frame(ToolRunner.Shift shift, AgentDefinition agent, Conversation conversation) {
    var offered = tools.offered(shift);
    var system = prompts.of(agent, UntrustedText.quoted(conversation.request()), offered.guide());
    return Frame.of(new Markup(shift.session().nonce()).explained(system), offered.tools());
  }

  /** Runs calls. Returns the end of the run if there is no memory for their results, or null. */
  private @Nullable LoopEnd call(
      ToolRunner.Shift shift, Conversation conversation, List<OpenCall> calls) {
    if (!memory.hold(shift.run(), conversation.storedChars())) {
      return ModelWaits.forMemory();
    }
    tools.run(shift, calls);
    return null;
  }

  /** A turn, with the calls that it asks for. Returns the end of the run, or null to continue. */
  private @Nullable LoopEnd turn(
      ToolRunner.Shift shift, Conversation conversation, Frame frame, @Nullable Closing closing) {
    var sent = new ArrayList<>(conversation.sent());
    if (closing != null) {
      sent.add(closing.message());
    }
    var markup = new Markup(shift.session().nonce());
    var request =
        new ModelRequest(
            frame.system(),
            sent.stream().map(markup::sent).toList(),
            frame.tools(),
            closing != null,
            conversation.tokens(frame.chars()));
    var reply = model.call(shift.session(), request, shift.run());
    var saved = answers.save(shift.run(), conversation, reply, closing);
    if (saved.calls().isEmpty() || shift.run().shouldYield()) {
      return saved.end();
    }
    return call(shift, conversation, saved.calls());
  }
}
