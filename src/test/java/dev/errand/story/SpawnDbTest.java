package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The {@code spawn} tool and its notices. */
@QuarkusTest
class SpawnDbTest implements Story {

  private static final Map<String, ?> ORIGIN =
      Map.of("origin", Map.of("channel", "telegram", "chat_id", "42"));

  @Inject TaskKit kit;

  @Test
  void spawnedSubagentWorksInTheBackgroundAndItsNoticeAsksForASummary() {
    var gate = new Gate();
    var parent = spawning(Map.of("task", "Find flights to Rome.", "label", "flights"));
    kit.child("Find flights to Rome.", model -> model.at(gate).says("LH 123"));

    kit.say(parent, "Rome, please.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.open();
    kit.awaitRest(parent);

    var task = kit.tasksOf(parent).getFirst();
    assertThat(kit.toolResults(parent).getFirst().text())
        .startsWith("Subagent 'flights' started (id: " + task.id() + ").")
        .endsWith("sub_session_id: " + task.child() + "\nstatus: accepted\n</task_metadata>");
    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: spawn", "tool", "assistant", "notice", "assistant");
    assertThat(kit.transcript(parent).get(4).text())
        .startsWith("[Subagent 'flights' completed successfully]\n\nTask: Find flights to Rome.\n")
        .contains("Result:\n<task_result>\nLH 123\n</task_result>", "one or two sentences")
        .contains("technical terms");
    assertThat(task.subagentType()).isEqualTo("general");
    assertThat(task.description()).isEqualTo("flights");
    assertThat(task.background()).isTrue();
  }

  @Test
  void noticeOfAFailedSubagentHasItsOwnForm() {
    var parent = spawning(Map.of("task", "Find flights to Rome.", "label", "flights"));
    kit.child("Find flights to Rome.", model -> model.fails(Code.MODEL_UNAUTHORIZED));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(noticeOf(parent))
        .startsWith("[Subagent 'flights' failed]\n\nTask: Find flights to Rome.\n")
        .contains("Error: model_unauthorized", "Result:", "what could not be done");
  }

  @Test
  void modelSetsPriorityTimeOutAndModelOfTheSubagent() {
    var parent =
        spawning(
            Map.of(
                "task", "Find flights.", "priority", 7, "timeout_ms", 60_000, "model", "inherit"));
    kit.child("Find flights.", model -> model.says("LH 123"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    var task = kit.tasksOf(parent).getFirst();
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("priority", equalTo(7));
    assertThat(task.timeoutMs()).isEqualTo(60_000);
    assertThat(task.model()).isEqualTo(kit.look(parent).model());
    var refused = spawning(Map.of("task", "Find flights.", "model", "nobody:nothing"));
    kit.say(refused, "Rome, please.");
    kit.awaitRest(refused);
    assertThat(kit.toolResults(refused).getFirst().text()).startsWith("Not started: model");
  }

  @Test
  void labelDefaultsToTheFirstWordsOfThePrompt() {
    var parent = spawning(Map.of("prompt", "Find cheap\n flights to Rome in May."));
    kit.child("Find cheap\n flights to Rome in May.", model -> model.says("LH 123"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(noticeOf(parent)).startsWith("[Subagent 'Find cheap flights to Rome' completed");
  }

  @Test
  void childAndNoticeHaveTheOriginOfTheCaller() {
    var parent = spawning(Map.of("task", "Find flights."));
    kit.child("Find flights.", model -> model.says("LH 123"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(kit.look(kit.childOf(parent)).origin())
        .isEqualTo(kit.look(parent).origin())
        .hasToString("{\"channel\":\"telegram\",\"chat_id\":\"42\"}");
    assertThat(noticeOf(parent)).contains("\nchannel: telegram\nchat_id: 42\n</task_metadata>");
  }

  @Test
  void unknownFieldIsRefusedByName() {
    var parent = spawning(Map.of("task", "Find flights.", "colour", "blue"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().isError()).isTrue();
    assertThat(kit.toolResults(parent).getFirst().text()).contains("colour");
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @Test
  void childrenHaveNoSpawn() {
    var parent = spawning(Map.of("task", "Find flights."));
    var child = kit.child("Find flights.", model -> model.says("LH 123"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(child.requests().getFirst().tools())
        .extracting(tool -> tool.name())
        .contains("read")
        .doesNotContain("spawn", "task", "task_list");
  }

  @Test
  void spawnRequiresPermissionForTheAgent() {
    var rules =
        Map.of(
            "permissions",
            List.of(Map.of("permission", "spawn", "pattern", "general", "action", "deny")));
    var parent =
        kit.session(
            rules, model -> model.calls("spawn", Map.of("task", "Find.")).saysForever("hm"));

    kit.say(parent, "Rome, please.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).contains("Permission denied");
  }

  private SessionId spawning(Map<String, ?> arguments) {
    return kit.session(
        ORIGIN, model -> model.calls(Call.of("spawn", arguments)).saysForever("I see"));
  }

  private String noticeOf(SessionId parent) {
    return kit.transcript(parent).stream()
        .map(message -> message.text())
        .filter(text -> text.startsWith("[Subagent"))
        .findFirst()
        .orElseThrow();
  }
}
