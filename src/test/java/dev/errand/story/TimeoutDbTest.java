package dev.errand.story;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.task.StopReason;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.task.TaskToolResult;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Timeouts of tasks. */
@QuarkusTest
class TimeoutDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void taskWithAHangingModelCallTimesOutWithItsLastText() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child(
        "think",
        model ->
            model.saysAndCalls("half a thought", Call.of("list", Map.of())).at(gate).says("late"));

    var task = kit.submit(parent, "think", Map.of("timeout_ms", 500_000));
    gate.awaitArrivals(1);
    timeOut(task);
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);
    kit.awaitRest(parent);

    var ending = ended.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(ending.stopReason()).isEqualTo(StopReason.TIMEOUT);
    assertThat(ending.result()).isEqualTo("half a thought");
    assertThat(ending.partial()).isTrue();
    assertThat(kit.transcript(parent).getFirst().text())
        .contains("timed_out", "half a thought", "500000");
    assertThat(kit.outline(ended.child())).containsExactly("user", "assistant: list", "tool");
  }

  /** The first call failed, and the second one hangs; the session does not wait yet. */
  @Test
  void taskWhoseModelWasAwayNamesItsFault() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child(
        "call",
        model -> model.fails(Code.MODEL_UNREACHABLE, "the model is out").at(gate).says("late"));

    var task = kit.submit(parent, "call", Map.of("timeout_ms", 500_000));
    gate.awaitArrivals(1);
    timeOut(task);
    var ended = kit.awaitEnd(task);
    kit.awaitRest(parent);

    var sentence =
        "the task did not end within timeout_ms = 500000; its last model call failed"
            + " (model_unreachable): the model is out";
    assertThat(requireNonNull(ended.outcome().orElseThrow().error()).message()).isEqualTo(sentence);
    assertThat(TaskToolResult.of(ended).output()).isEqualTo("timed_out: " + sentence);
    assertThat(kit.transcript(parent).getFirst().text()).contains("model_unreachable");
  }

  /** What failed before the last answer is no reason. */
  @Test
  void taskWhoseModelAnsweredNamesNoFault() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child(
        "call once",
        model ->
            model
                .fails(Code.MODEL_UNREACHABLE)
                .saysAndCalls("back", Call.of("list", Map.of()))
                .at(gate)
                .says("late"));

    var task = kit.submit(parent, "call once", Map.of("timeout_ms", 500_000));
    gate.awaitArrivals(1);
    timeOut(task);

    assertThat(requireNonNull(kit.awaitEnd(task).outcome().orElseThrow().error()).message())
        .isEqualTo("the task did not end within timeout_ms = 500000");
    kit.awaitRest(parent);
  }

  /**
   * A sweep once per second alone would detect six of these 0.7 s late or later, each time; a busy
   * machine does not delay so many each time.
   */
  @Test
  void timeoutIsDetectedWithoutDelay() {
    await().until(() -> lateOf20() < 4);
  }

  private long lateOf20() {
    var gate = new Gate();
    kit.children(prompt -> new Script().at(gate).says("late"));
    var parent = kit.externalSession();

    var tasks = IntStream.range(0, 20).mapToObj(n -> submit(parent, n)).toList();

    var late = tasks.stream().map(kit::awaitEnd).map(TimeoutDbTest::late).toList();
    assertThat(late).allSatisfy(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ZERO));
    kit.awaitRest(parent);
    return late.stream().filter(time -> time.toMillis() >= 700).count();
  }

  /** The prompts of two rounds differ, because a script that was used has no step left. */
  private TaskId submit(SessionId parent, int number) {
    var prompt = "think " + number + " for " + parent;
    return kit.submit(parent, prompt, Map.of("timeout_ms", 500 + 100 * number));
  }

  private void timeOut(TaskId task) {
    kit.tamper("update task set deadline_at = now() where id = ?", task.value());
  }

  private static Duration late(Task task) {
    var deadline = Objects.requireNonNull(task.startedAt()).plusMillis(task.timeoutMs());
    return Duration.between(deadline, task.endedAt());
  }

  @Test
  void foregroundTaskThatTimesOutIsAnErrorResult() {
    var gate = new Gate();
    var parent = kit.session(model -> model.callsTask("think").thenSays("without it then"));
    kit.child("think", model -> model.at(gate).says("late"));

    kit.say(parent, "Think.");
    gate.awaitArrivals(1);
    timeOut(kit.awaitTask(parent));
    gate.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).contains("timed_out"));
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("without it then");
  }
}
