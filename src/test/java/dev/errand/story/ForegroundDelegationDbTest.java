package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tasks whose result the parent waits for. */
@QuarkusTest
class ForegroundDelegationDbTest implements Story {

  private static final String ANSWERED =
      "select count(*) from tool_call where session_id = '%s' and state = 'done'";

  @Inject TaskKit kit;
  @Inject MeterRegistry registry;

  @Test
  void parentWaitsAndTheAnswerIsTheToolResult() {
    var gate = new Gate();
    var parent = kit.session(model -> model.callsTask("find flights").thenSays("booked"));
    kit.child("find flights", model -> model.at(gate).says("LH 123"));

    kit.say(parent, "Book me a flight.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "assistant");
    assertThat(kit.toolResults(parent).getFirst().text()).startsWith("LH 123");
    assertThat(kit.toolResults(parent).getFirst().isError()).isFalse();
  }

  @Test
  void tasksOfOneMessageRunConcurrentlyAndTheWaitingParentOccupiesNoWorker() {
    var gate = new Gate();
    var parent =
        kit.session(model -> model.calls(Call.task("left"), Call.task("right")).thenSays("both"));
    kit.child("left", model -> model.at(gate).says("L"));
    kit.child("right", model -> model.at(gate).says("R"));

    kit.say(parent, "Look both ways.");
    gate.awaitArrivals(2);
    kit.awaitState(parent, SessionState.WAITING);

    await().until(() -> registry.get("errand.runs.active").gauge().value() == 2);
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: task, task", "tool", "assistant");
  }

  @Test
  void resultsAreInTheOrderOfTheCalls() {
    var gate = new Gate();
    var parent =
        kit.session(model -> model.calls(Call.task("slow"), Call.task("fast")).thenSays("both"));
    kit.child("slow", model -> model.at(gate).says("tortoise"));
    kit.child("fast", model -> model.says("hare"));

    kit.say(parent, "Race.");
    gate.awaitArrivals(1);
    await().until(() -> kit.tasksOf(parent).size() == 2);
    kit.awaitDelivery(
        kit.tasksOf(parent).stream()
            .filter(task -> task.prompt().equals("fast"))
            .findFirst()
            .orElseThrow()
            .id());
    kit.awaitState(parent, SessionState.WAITING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .extracting(Content.ToolResult::text)
        .satisfiesExactly(
            first -> assertThat(first).startsWith("tortoise"),
            second -> assertThat(second).startsWith("hare"));
  }

  @Test
  void userMessageToAWaitingParentFollowsTheToolResult() {
    var gate = new Gate();
    var parent = kit.session(model -> model.callsTask("dig").thenSays("found it"));
    kit.child("dig", model -> model.at(gate).says("gold"));

    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.WAITING);
    kit.say(parent, "Hurry.");
    gate.awaitArrivals(1);
    assertThat(kit.look(parent).state()).isEqualTo(SessionState.WAITING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: task", "tool", "user", "assistant");
  }

  @Test
  void userMessageFollowsTheLastResultWhenTheFirstOneWakesTheParent() {
    var slow = new Gate();
    var fast = new Gate();
    var parent =
        kit.session(model -> model.calls(Call.task("slow"), Call.task("fast")).thenSays("both"));
    kit.child("slow", model -> model.at(slow).says("tortoise"));
    kit.child("fast", model -> model.at(fast).says("hare"));

    kit.say(parent, "Race.");
    slow.awaitArrivals(1);
    fast.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);
    kit.say(parent, "Hurry.");
    fast.open();
    await().until(() -> kit.row(ANSWERED.formatted(parent.value()), Long.class) == 1);
    kit.awaitState(parent, SessionState.WAITING);
    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task, task");
    slow.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: task, task", "tool", "user", "assistant");
  }

  @Test
  void resultsOfOtherToolsAreInTheSameMessageAsTheTaskResult() {
    var parent =
        kit.session(
            model -> model.calls(Call.of("list", Map.of()), Call.task("dig")).thenSays("found it"));
    kit.child("dig", model -> model.says("gold"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: list, task", "tool", "assistant");
    assertThat(kit.toolResults(parent)).hasSize(2);
  }

  @Test
  void failureOfTheChildIsAnErrorResult() {
    var parent = kit.session(model -> model.callsTask("dig").thenSays("no luck"));
    kit.child("dig", model -> model.fails(Code.MODEL_UNAUTHORIZED));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).contains("model_unauthorized"));
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("no luck");
  }
}
