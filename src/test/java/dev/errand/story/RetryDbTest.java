package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Failed attempts are repeated; here an attempt fails with an answer that cannot be read. */
@QuarkusTest
class RetryDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void nextAttemptContinuesFromTheLastSavedTurn() {
    kit.child(
        "dig",
        model ->
            model.saysAndCalls("looking", Call.of("list", Map.of())).failsAttempt().says("gold"));
    var parent = kit.externalSession();

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(task.attempts()).isEqualTo(2);
    assertThat(kit.takeovers(task.id())).isZero();
    assertThat(kit.outline(task.child()))
        .containsExactly("user", "assistant: list", "tool", "assistant");
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void foregroundParentWaitsDuringAllAttempts() {
    kit.child("dig", model -> model.failsAttempt().failsAttempt().says("gold"));
    var parent = kit.session(model -> model.callsTask("dig").thenSays("thanks"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).startsWith("gold");
    assertThat(kit.tasksOf(parent).getFirst().attempts()).isEqualTo(3);
  }

  @Test
  void failureOfTheLastAttemptEndsTheTaskWithItsLastText() {
    kit.child(
        "dig",
        model ->
            model
                .saysAndCalls("half of it", Call.of("list", Map.of()))
                .failsAttempt()
                .failsAttempt()
                .failsAttempt());

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.FAILED);
    assertThat(ending.result()).isEqualTo("half of it");
    assertThat(task.attempts()).isEqualTo(3);
  }

  @Test
  void permanentFailureEndsTheTaskAtOnce() {
    kit.child("dig", model -> model.fails(Code.MODEL_NOT_CONFIGURED));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(task.attempts()).isEqualTo(1);
  }
}
