package dev.errand.delegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.DeliveryState;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tools with which a parent reads, lists and cancels its tasks. */
@QuarkusTest
class TaskToolsDbTest implements Story {

  private final Gate gate = new Gate();

  @Inject TaskKit kit;
  @Inject MeterRegistry registry;

  @Test
  void outputReportsThatTheTaskIsRunning() {
    var parent = parentOfARunningTask();

    var result = call(parent, "task_output", kit.awaitTask(parent).toString());

    assertThat(result.text()).contains("\"is_running\":true");
    kit.cancel(parent);
  }

  @Test
  void outputWaitsForTheResult() {
    var parent = parentOfARunningTask();
    kit.script(parent)
        .calls("task_output", Map.of("task_id", kit.childOf(parent).toString(), "wait_ms", 60_000))
        .saysForever("thank you");

    kit.say(parent, "Wait for it.");
    kit.awaitState(parent, SessionState.RUNNING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getLast().text())
        .contains("\"is_running\":false", "\"result\":\"gold\"");
  }

  @Test
  void outputIsKnownAsTaskOutputWithBlockAndTimeout() {
    var parent = parentOfARunningTask();
    var task = kit.awaitTask(parent).toString();

    assertThat(call(parent, "TaskOutput", Map.of("task_id", task, "block", false)).text())
        .contains("\"is_running\":true");
    assertThat(call(parent, "TaskOutput", Map.of("task_id", task, "timeout", 1)).text())
        .contains("\"is_running\":true");
    assertThat(refused(parent, Map.of("task_id", task, "block", true, "wait_ms", 5)))
        .isEqualTo("Give either wait_ms, or block and timeout.");
    assertThat(refused(parent, Map.of("task_id", task, "block", "yes")))
        .contains("block: must be true or false");
    assertThat(refused(parent, Map.of("task_id", task, "timeout", -1)))
        .contains("timeout: must be a whole number of milliseconds");
    gate.open();
    kit.awaitRest(parent);
    assertThat(call(parent, "TaskOutput", Map.of("task_id", task, "block", true)).text())
        .contains("\"is_running\":false", "\"result\":\"gold\"");
  }

  private String refused(SessionId parent, Map<String, ?> arguments) {
    var result = call(parent, "TaskOutput", arguments);
    assertThat(result.isError()).isTrue();
    return result.text();
  }

  @Test
  void cancelEndsTheTask() {
    var parent = parentOfARunningTask();

    var result = call(parent, "task_cancel", kit.awaitTask(parent).toString());

    assertThat(result.text()).isEqualTo("The task is cancelled.");
    gate.awaitInterrupt();
    kit.awaitRest(parent);
    assertThat(kit.look(kit.awaitTask(parent)).delivery()).contains(DeliveryState.CONSUMED);
    assertThat(kit.outline(parent)).as("who cancels is not told").doesNotContain("notice");
  }

  @Test
  void taskOfAnotherSessionIsUnknown() {
    var otherParent = parentOfARunningTask();
    var parent = kit.session(model -> model.saysForever("hm"));

    for (var tool : new String[] {"task_output", "task_cancel"}) {
      var result = call(parent, tool, kit.awaitTask(otherParent).toString());
      assertThat(result.isError()).isTrue();
      assertThat(result.text()).contains("there is no task");
    }
    assertThat(kit.look(kit.awaitTask(otherParent)).state()).isEqualTo(TaskState.RUNNING);
    gate.open();
  }

  @Test
  void listShowsTheTasksOfTheCallerNewestFirst() {
    var parent = parentOfARunningTask();
    kit.child("think", model -> model.says("thought"));
    kit.awaitEnd(kit.submit(parent, "think", Map.of("label", "thinking")));
    kit.awaitState(parent, SessionState.IDLE);

    var all = call(parent, "task_list", Map.of()).text().lines().toList();

    assertThat(all).hasSize(2);
    assertThat(all.getFirst())
        .contains("\"description\":\"a task\"", "\"label\":\"thinking\"")
        .contains("\"state\":\"completed\"", "\"subagent_type\":\"general\"", "\"ended_at\":");
    assertThat(all.getLast())
        .contains("\"task_id\":\"" + kit.awaitTask(parent) + "\"")
        .contains("\"session_id\":\"" + kit.childOf(parent) + "\"", "\"state\":\"running\"")
        .doesNotContain("ended_at", "label");
    gate.open();
  }

  @Test
  void listFilteredByStateShowsNoOtherState() {
    var parent = parentOfARunningTask();

    assertThat(call(parent, "task_list", Map.of("state", "running")).text().lines()).hasSize(1);
    assertThat(call(parent, "task_list", Map.of("state", "failed")).text())
        .isEqualTo("There is no such task.");
    var wrong = call(parent, "task_list", Map.of("state", "lost"));
    assertThat(wrong.isError()).isTrue();
    assertThat(wrong.text()).contains("state", "timed_out");
    gate.open();
  }

  @Test
  void listShowsNoTasksOfOtherSessions() {
    var otherParent = parentOfARunningTask();
    var parent = kit.session(model -> model.saysForever("hm"));

    assertThat(call(parent, "task_list", Map.of()).text()).isEqualTo("There is no such task.");
    kit.cancel(otherParent);
  }

  /** A run that has lost its session releases its worker. */
  @Test
  void waitForATaskEndsWhenTheRunLosesItsSession() {
    var parent = parentOfARunningTask();
    kit.script(parent)
        .calls("task_output", Map.of("task_id", kit.childOf(parent).toString(), "wait_ms", 60_000))
        .saysForever("I see");
    kit.say(parent, "Wait for it.");
    await().until(() -> kit.outline(parent).contains("assistant: task_output"));
    var runs = registry.get("errand.runs.active").gauge();
    var before = runs.value();

    kit.tamper(
        """
        update session set state = 'waiting', waits_for = 'answer', waits_since = now(), node_id = null, epoch = epoch + 1
        where id = ?
        """,
        parent.value());

    await().until(() -> runs.value() < before);
    kit.cancel(parent);
  }

  private SessionId parentOfARunningTask() {
    var parent = kit.session(model -> model.callsTaskInBackground("dig").saysForever("I see"));
    kit.child("dig", model -> model.at(gate).says("gold"));
    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.awaitArrivals(1);
    return parent;
  }

  private Content.ToolResult call(SessionId parent, String tool, String task) {
    return call(parent, tool, Map.of("task_id", task));
  }

  private Content.ToolResult call(SessionId parent, String tool, Map<String, ?> arguments) {
    var before = kit.toolResults(parent).size();
    kit.script(parent).calls(tool, arguments).saysForever("I see");
    kit.say(parent, "Check it.");
    kit.awaitState(parent, SessionState.IDLE);
    assertThat(kit.toolResults(parent)).hasSize(before + 1);
    return kit.toolResults(parent).getLast();
  }
}
