package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ForegroundDelegationDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void parentWaitsAndTheAnswerIsTheToolsResult() {
    var gate = new Gate();
    var parent = kit.session(model -> model.callsTask("find flights").thenSays("booked"));
    kit.child("find flights", model -> model.at(gate).says("LH 123"));

    kit.say(parent, "Book me a flight.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "assistant");
    assertThat(kit.toolResults(parent).getFirst().text()).contains("LH 123");
  }
}
