package dev.errand.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.ToolEffect;
import dev.errand.model.ToolLimits;
import dev.errand.postgres.Failpoint;
import dev.errand.session.CallKey;
import dev.errand.session.CallResult;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.OpenCall;
import dev.errand.session.Session;
import dev.errand.session.ToolCallState;
import dev.errand.session.ToolLedger;
import dev.errand.tenant.Tenants;
import dev.errand.tool.OfferedTools;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.ToolUser;
import dev.errand.trace.Spans;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Runs the tool calls of one message concurrently. Each call is recorded before it starts and when
 * it has ended (architecture, rule 9).
 */
@Singleton
class ToolRunner {

  private static final String OUTCOME_UNKNOWN =
      "The worker was lost during this call; its outcome is unknown. Verify what happened before"
          + " you repeat it.";

  private final ToolBox toolBox;
  private final ToolLedger ledger;
  private final TurnTransactions turns;
  private final ToolLimits limits;
  private final Tenants tenants;
  private final HookedCalls hooks;
  private final ComputeThreads computeThreads;
  private final RunMetrics metrics;
  private final Spans spans;

  ToolRunner(
      ToolBox toolBox,
      ToolLedger ledger,
      TurnTransactions turns,
      ToolLimits limits,
      Tenants tenants,
      HookedCalls hooks,
      ComputeThreads computeThreads,
      RunMetrics metrics,
      Spans spans) {
    this.toolBox = toolBox;
    this.ledger = ledger;
    this.turns = turns;
    this.limits = limits;
    this.tenants = tenants;
    this.hooks = hooks;
    this.computeThreads = computeThreads;
    this.metrics = metrics;
    this.spans = spans;
  }

  /**
   * The run whose tool calls are run.
   *
   * @param has whether the session has the tool with this name
   */
  record Shift(Lease lease, Session session, Run run, Predicate<String> has) {

    /** A session that has all tools that its permissions allow. */
    Shift(Lease lease, Session session, Run run) {
      this(lease, session, run, _ -> true);
    }

    private Shift withOnly(Set<String> names) {
      return new Shift(lease, session, run, name -> names.contains(name) && has.test(name));
    }
  }

  /**
   * Runs the calls that were not started, or were started by a worker that died. Deferred calls are
   * skipped.
   *
   * @throws LeaseLost the run no longer owns the session; no further call is started
   */
  void run(Shift shift, List<OpenCall> calls) {
    shift.run().ensureOwned();
    prepare(shift);
    var due = calls.stream().filter(call -> call.state() != ToolCallState.DEFERRED).toList();
    var isAsked = hooks.mayDeny(shift);
    // A tool that appears while hooks are asked is unknown to these calls.
    var user = isAsked ? shift.withOnly(Set.copyOf(toolBox.registered())) : shift;
    var allowed = isAsked ? allowed(shift, due) : due;
    ledger.start(shift.lease(), allowed.stream().map(OpenCall::key).toList());
    Failpoint.TOOLS_STARTED.pass();
    Concurrently.each(
        allowed,
        call -> {
          runOne(user, call);
          return call;
        });
  }

  /** Returns the calls that no hook denies; the other ones are answered with the reason. */
  private List<OpenCall> allowed(Shift shift, List<OpenCall> calls) {
    var denied = Concurrently.each(calls, call -> !isLost(call) && isDenied(shift, call));
    return IntStream.range(0, calls.size())
        .filter(index -> !denied.get(index))
        .mapToObj(calls::get)
        .toList();
  }

  private boolean isDenied(Shift shift, OpenCall call) {
    if (hooks.allow(shift, call, context(shift, call.key()))) {
      return false;
    }
    metrics.toolCalled(metricName(call), "denied");
    return true;
  }

  /** Returns whether the worker of a call died and the call cannot be repeated. */
  private boolean isLost(OpenCall open) {
    return open.state() == ToolCallState.STARTED && !repeatable(open);
  }

  private void runOne(Shift shift, OpenCall open) {
    var entry = new ToolLedger.LeasedCall(shift.lease(), open.key());
    if (isLost(open)) {
      PersistentWrite.until(
          shift.run(),
          () -> turns.finish(entry, ToolCallState.UNKNOWN, new CallResult(OUTCOME_UNKNOWN, true)));
      metrics.toolCalled(metricName(open), "unknown");
      return;
    }
    var outcome =
        repeatable(open)
            ? PersistentWrite.until(shift.run(), _ -> traced(shift, open))
            : traced(shift, open);
    Failpoint.TOOL_CALLED.pass();
    switch (outcome) {
      case ToolOutcome.Done done -> {
        var result = new CallResult(done.text(), done.isError());
        PersistentWrite.until(shift.run(), () -> turns.finish(entry, ToolCallState.DONE, result));
        Failpoint.TOOL_FINISHED.pass();
        metrics.toolCalled(metricName(open), done.isError() ? "error" : "ok");
        hooks.tell(shift, open, context(shift, open.key()), result);
      }
      case ToolOutcome.Deferred _ -> {
        ledger.defer(entry);
        metrics.toolCalled(metricName(open), "deferred");
      }
    }
  }

  /** Returns whether a call may be repeated, both as it was planned and as MCP servers are now. */
  private boolean repeatable(OpenCall open) {
    return open.repeatable() && effect(open.call()).isRepeatable();
  }

  private ToolOutcome traced(Shift shift, OpenCall open) {
    try (var span = spans.tool(metricName(open), open.call().id())) {
      var outcome = span.watch(() -> call(shift, open));
      if (outcome instanceof ToolOutcome.Done done && done.isError()) {
        span.failed("tool_error");
      }
      return outcome;
    }
  }

  private ToolOutcome call(Shift shift, OpenCall open) {
    var context = context(shift, open.key());
    var permissions = shift.session().permissions();
    Callable<ToolOutcome> work = () -> toolBox.call(open.call(), context, permissions, shift.has());
    var tool = toolBox.find(open.call().name());
    var load = tool.map(Tool::load).orElse(Tool.ToolLoad.WAITS);
    if (load != Tool.ToolLoad.WAITS) {
      var session = shift.session().id();
      return shift.run().interruptibly(() -> computeThreads.run(load, session, work));
    }
    if (tool.map(Tool::interruptible).orElse(true)) {
      return shift.run().interruptibly(work);
    }
    shift.run().ensureOwned();
    return toolBox.call(open.call(), context, permissions, shift.has());
  }

  private ToolContext context(Shift shift, CallKey key) {
    return new ToolContext(
            shift.session().id(),
            shift.lease().epoch(),
            key.toString(),
            shift.session().workspace(),
            new LiveOutput(output ->
                ledger.recordOutput(new ToolLedger.LeasedCall(shift.lease(), key), output)))
        .by(new ToolUser(shift.session().tenant(), shift.session().agent()));
  }

  /** Returns the tools that the session's model may call. */
  OfferedTools offered(Shift shift) {
    prepare(shift);
    var session = shift.session();
    var max = limits.of(session.model(), tenants.of(session.tenant()).models());
    return toolBox.forModel(
        session.permissions(), new ToolUser(session.tenant(), session.agent()), max);
  }

  /** Prepares the tools before each turn: the agent's own MCP servers may have changed. */
  private void prepare(Shift shift) {
    var agent = shift.session().agent();
    if (toolBox.hasOwn(agent)) {
      shift
          .run()
          .interruptibly(() -> {
            toolBox.prepare(agent);
            return agent;
          });
    }
  }

  /**
   * Returns the effect that is stored with a planned call. A tool that is unknown now may exist
   * when the call starts, and change something.
   */
  ToolEffect effect(Content.ToolCall call) {
    return toolBox
        .find(call.name())
        .map(tool ->
            call.arguments() instanceof ObjectNode arguments
                ? tool.effect(arguments)
                : tool.effect())
        .orElse(ToolEffect.SIDE_EFFECT);
  }

  /** Models invent tool names; metrics and spans need a bounded number of names. */
  private String metricName(OpenCall open) {
    return toolBox.nameOf(open.call().name()).orElse("unknown");
  }
}
