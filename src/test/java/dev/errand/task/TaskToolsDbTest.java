package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tools that a parent looks after its tasks with. */
@QuarkusTest
class TaskToolsDbTest implements Story {

  private final Gate gate = new Gate();

  @Inject TaskKit kit;

  @Test
  void outputTellsThatTheTaskStillRuns() {
    var parent = parentOfARunningTask();

    var result = asks(parent, "task_output", kit.awaitTask(parent).toString());

    assertThat(result.text()).contains("\"is_running\":true");
    kit.cancel(parent);
  }

  @Test
  void outputWaitsForTheResult() {
    var parent = parentOfARunningTask();
    kit.script(parent)
        .calls("task_output", Map.of("task_id", kit.childOf(parent).toString(), "wait_ms", 20_000))
        .saysForever("thank you");

    kit.say(parent, "Wait for it.");
    kit.awaitState(parent, SessionState.RUNNING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getLast().text())
        .contains("\"is_running\":false", "\"result\":\"gold\"");
  }

  @Test
  void cancelEndsTheTask() {
    var parent = parentOfARunningTask();

    var result = asks(parent, "task_cancel", kit.awaitTask(parent).toString());

    assertThat(result.text()).isEqualTo("The task is cancelled.");
    gate.awaitInterrupt();
  }

  @Test
  void anothersTaskIsUnknown() {
    var theirs = parentOfARunningTask();
    var mine = kit.session(model -> model.saysForever("hm"));

    for (var tool : new String[] {"task_output", "task_cancel"}) {
      var result = asks(mine, tool, kit.awaitTask(theirs).toString());
      assertThat(result.isError()).isTrue();
      assertThat(result.text()).contains("there is no task");
    }
    assertThat(kit.look(kit.awaitTask(theirs)).progress().state()).isEqualTo(TaskState.RUNNING);
    gate.open();
  }

  private SessionId parentOfARunningTask() {
    var parent = kit.session(model -> model.callsTaskInBackground("dig").saysForever("I see"));
    kit.child("dig", model -> model.at(gate).says("gold"));
    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.awaitArrivals(1);
    return parent;
  }

  private Content.ToolResult asks(SessionId parent, String tool, String task) {
    var before = kit.toolResults(parent).size();
    kit.script(parent).calls(tool, Map.of("task_id", task)).saysForever("I see");
    kit.say(parent, "Look after it.");
    kit.awaitState(parent, SessionState.IDLE);
    assertThat(kit.toolResults(parent)).hasSize(before + 1);
    return kit.toolResults(parent).getLast();
  }
}
