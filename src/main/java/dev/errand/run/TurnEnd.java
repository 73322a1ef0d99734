package dev.errand.run;

import dev.errand.session.OpenCall;
import java.util.List;

/** The step that follows a turn of the model. */
sealed interface TurnEnd {

  /** The run ends with it. */
  record EndsRun(LoopEnd end) implements TurnEnd {}

  /** The answer is saved; the calls that it asks for run next. */
  record AsksFor(List<OpenCall> calls) implements TurnEnd {

    public AsksFor {
      calls = List.copyOf(calls);
    }
  }

  /** Another turn begins, with the messages as they are then. */
  record Continues() implements TurnEnd {}
}
