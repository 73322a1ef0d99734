package dev.errand.run;

import dev.errand.model.EndpointGate;
import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.model.ModelException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Gets a run the right to call an endpoint, and waits for it if that is soon. */
final class CallPermits {

  private CallPermits() {}

  /**
   * @param failed the fault of the previous call; null before the first one
   * @param givesUpAt how long the run keeps its worker, a time of {@link System#nanoTime}
   * @throws CallDelayed the call has to wait for longer
   */
  static EndpointGate.Permit take(
      EndpointGate gate, Run run, @Nullable ModelException failed, long givesUpAt) {
    var first = run.takeFirstCall(gate);
    if (first.isPresent()) {
      return first.get();
    }
    var answer = gate.ask(GateCaller.RUN);
    while (answer instanceof GateAnswer.Soon soon) {
      if (isLate(givesUpAt, soon.in())) {
        gate.leave();
        throw new CallDelayed(soon.in(), failed, failed != null);
      }
      await(soon, gate, run);
      answer = gate.ask(GateCaller.RETURNING);
    }
    return switch (answer) {
      case GateAnswer.Pass pass -> pass.permit();
      case GateAnswer.Soon soon -> throw new IllegalStateException("" + soon);
      case GateAnswer.NotYet wait ->
          throw new CallDelayed(
              wait.atLeast(), failed == null ? wait.away() : failed, failed != null);
    };
  }

  private static void await(GateAnswer.Soon soon, EndpointGate gate, Run run) {
    try {
      run.pause(soon.in());
    } catch (RuntimeException stopped) {
      gate.leave();
      throw stopped;
    }
  }

  static boolean isLate(long givesUpAt, Duration delay) {
    return System.nanoTime() + delay.toNanos() - givesUpAt > 0;
  }
}
