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
class BackgroundDelegationDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void parentGoesOnWithTheChildsAnswer() {
    var gate = new Gate();
    var parent =
        kit.session(model ->
            model.callsTaskInBackground("find flights").thenSays("wait").thenSays("booked"));
    kit.child("find flights", model -> model.at(gate).says("LH 123"));

    kit.say(parent, "Book me a flight.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: task", "tool", "assistant", "notice", "assistant");
    assertThat(kit.transcript(parent).get(4).text()).contains("LH 123");
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("booked");
  }
}
