package dev.errand.run;

import dev.errand.hook.ToolHooks;
import dev.errand.hook.ToolHooks.HookedCall;
import dev.errand.session.CallResult;
import dev.errand.session.OpenCall;
import dev.errand.session.SessionKind;
import dev.errand.session.ToolCallState;
import dev.errand.session.ToolLedger;
import dev.errand.tool.ToolContext;
import jakarta.inject.Singleton;

/** The hooks of a run's tool calls. A run that loses its session waits for none. */
@Singleton
class HookedCalls {

  private final ToolHooks hooks;
  private final TurnTransactions turns;

  HookedCalls(ToolHooks hooks, TurnTransactions turns) {
    this.hooks = hooks;
    this.turns = turns;
  }

  /** Returns whether a hook may deny calls of this run. */
  boolean mayDeny(ToolRunner.Shift shift) {
    return hooks.mayDeny(shift.session().agent());
  }

  /** Returns whether no hook denies the call. A denied call is answered with the reason. */
  boolean allow(ToolRunner.Shift shift, OpenCall open, ToolContext context) {
    var denial = shift.run().interruptibly(() -> hooks.denial(call(shift, open, context)));
    denial.ifPresent(reason -> {
      var entry = new ToolLedger.LeasedCall(shift.lease(), open.key());
      PersistentWrite.until(
          shift.run(),
          () -> turns.finish(entry, ToolCallState.DENIED, new CallResult(reason, true)));
    });
    return denial.isEmpty();
  }

  /** Passes a result to the hooks. The result was saved before, so a slow hook cannot lose it. */
  void tell(ToolRunner.Shift shift, OpenCall open, ToolContext context, CallResult result) {
    if (!hooks.hearResults(shift.session().agent())) {
      return;
    }
    if (shift.session().kind() == SessionKind.EXTERNAL) {
      tellOfClient(call(shift, open, context), result);
      return;
    }
    shift
        .run()
        .interruptibly(() -> {
          hooks.ended(call(shift, open, context), result.text(), result.isError());
          return result;
        });
  }

  /**
   * Tells hooks of the result of a client's call. The call is its own lease, which has ended with
   * the result.
   */
  private void tellOfClient(HookedCall call, CallResult result) {
    try {
      hooks.ended(call, result.text(), result.isError());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private static HookedCall call(ToolRunner.Shift shift, OpenCall open, ToolContext context) {
    return new HookedCall(
        open.call(),
        context,
        shift.session().permissions(),
        shift.has(),
        shift.run().task().orElse(null));
  }
}
