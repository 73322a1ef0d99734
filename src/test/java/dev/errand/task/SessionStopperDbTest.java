package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.SessionStopper.Stop;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SessionStopperDbTest implements Story {

  private static final Stop SILENTLY =
      new Stop("stopped", _ -> TaskOutcome.cancelled(""), ParentNotice.SUPPRESS);

  @Inject TaskKit kit;
  @Inject SessionStopper stopper;

  /** The parent was started again after it was stopped, and has delegated again. */
  @Test
  void parentThatWaitsForAnAnswerGetsItFromATaskThatEndsSilently() {
    var gate = new Gate();
    kit.child("think", model -> model.at(gate).says("too late"));
    var parent =
        kit.session(model ->
            model
                .calls(Call.of("task", Map.of("description", "a task", "prompt", "think")))
                .says("I see"));
    kit.say(parent, "Go.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);

    QuarkusTransaction.requiringNew().run(() -> stopper.stop(kit.childOf(parent), SILENTLY));
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "assistant");
  }
}
