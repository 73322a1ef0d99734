package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script.Call;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.task.StopReason;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What comes of a task whose child gives no answer, for its caller, its parent and the operator.
 */
@QuarkusTest
class EmptyAnswerDbTest implements Story {

  private static final Call LIST = Call.of("list", Map.of());

  @Inject TaskKit kit;
  @Inject MeterRegistry registry;
  @Inject ObjectMapper mapper;

  @Test
  void taskWithoutAnAnswerIsCompletedPartialAndNoSuccessWithItsWords() {
    silentChild();
    var ended = registry.get("errand.tasks.ended").tags("agent", "general", "outcome", "no_answer");
    var before = ended.counter().count();

    var parent = kit.externalSession();
    post(parent, "task:general --prompt dig")
        .then()
        .statusCode(200)
        .body("success", is(false))
        .body("output", equalTo("I see gold"))
        .body("metadata.status", is("completed"))
        .body("metadata.stop_reason", is("no_answer"))
        .body("metadata.partial", is(true))
        .body("metadata.usage.turns", is(3))
        .body("metadata.usage.input_tokens", is(30));

    var task = kit.tasksOf(parent).getFirst();
    given()
        .get("/v1/tasks/{id}", task.id().toString())
        .then()
        .body("state", is("completed"))
        .body("stop_reason", is("no_answer"))
        .body("partial", is(true))
        .body("result", is("I see gold"))
        .body("error", is((Object) null));
    assertThat(ended.counter().count()).isEqualTo(before + 1);
    assertThat(kit.modelEvents(task.child()))
        .isEqualTo("started 1, ended 1, started 1, ended 1, started 1, ended 1");
  }

  @Test
  void parentThatWaitsReadsTheWordsInAResultThatIsAnError() {
    silentChild();
    var parent = kit.session(model -> model.callsTask("dig").thenSays("I dig myself"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(result -> {
          assertThat(result.isError()).isTrue();
          assertThat(result.text())
              .contains("(no_answer): the subagent ended without an answer", "I see gold");
        });
  }

  @Test
  void parentThatContinuesGetsANoticeThatSaysSo() {
    silentChild();
    var parent =
        kit.session(
            model -> model.callsTaskInBackground("dig").thenSays("go").thenSays("I dig myself"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent))
        .filteredOn(message -> message.text().contains("<task_notice>"))
        .singleElement()
        .satisfies(notice ->
            assertThat(notice.text())
                .contains("without completing: no_answer", "Result so far:", "I see gold"));
  }

  @Test
  void webhookOfATaskWithoutAnAnswerIsNoSuccess() throws Exception {
    silentChild();
    try (var receiver = new WebhookReceiver()) {
      var parent = kit.externalSession(Map.of("callback", Map.of("url", receiver.url())));

      kit.submit(parent, "dig");
      var event = mapper.readTree(receiver.awaitPosts(1).getFirst().body());
      kit.awaitRest(parent);

      assertThat(event.get("type").asText()).isEqualTo("background_task.completed");
      assertThat(event.at("/data/success").asBoolean(true)).isFalse();
      assertThat(event.at("/data/output").asText()).isEqualTo("I see gold");
      assertThat(event.at("/data/metadata/stop_reason").asText()).isEqualTo("no_answer");
      assertThat(event.at("/data/notice").asText()).contains("no_answer");
    }
  }

  @Test
  void agentIsNotAskedWhenTheBudgetIsUsedUp() {
    silentChild();
    var parent = kit.limitedSession(Map.of("max_tokens", 26));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    var outcome = task.outcome().orElseThrow();
    assertThat(outcome.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(outcome.result()).isEqualTo("I see gold");
    assertThat(task.usage().turns()).isEqualTo(2);
  }

  @Test
  void wordsThatASummaryStandsForAreKept() {
    kit.model(ScriptedModel.NAME, model -> model.summarises("what was said"));
    kit.child(
        "dig",
        model -> {
          model.saysAndCalls("I see gold", LIST);
          for (int turn = 0; turn < 12; turn++) {
            var tool = turn % 2 == 0 ? "todoread" : "list";
            model.calls(Call.of(tool, Map.of("path", ".", "why", "x".repeat(40_000))));
          }
          model.says("").says("");
        });

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("max_turns", 100)));

    assertThat(kit.outline(task.child())).contains("system");
    assertThat(task.outcome().orElseThrow())
        .extracting(TaskOutcome::stopReason, TaskOutcome::result)
        .containsExactly(StopReason.NO_ANSWER, "I see gold");
  }

  @Test
  void wordsOfAnEarlierTaskAreNotThoseOfTheNext() {
    kit.child(
        "dig", model -> model.saysAndCalls("I see gold", LIST).says("").says("").says("").says(""));
    var parent = kit.externalSession();
    var first = kit.awaitEnd(kit.submit(parent, "dig"));

    var child = first.child().toString();
    var next = kit.awaitEnd(kit.submit(parent, "on", Map.of("session_id", child)));

    assertThat(next.outcome().orElseThrow().error())
        .extracting(TaskOutcome.Error::code)
        .isEqualTo("model_empty_answer");
  }

  @Test
  void cancelledTaskHasTheWordsOfAChildThatIsBeingAsked() {
    var gate = new Gate();
    var child =
        kit.child(
            "dig", model -> model.saysAndCalls("I see gold", LIST).says("").at(gate).says("lost"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);

    kit.cancel(task);
    gate.awaitInterrupt();

    var outcome = kit.awaitEnd(task).outcome().orElseThrow();
    assertThat(outcome.state()).isEqualTo(TaskState.CANCELLED);
    assertThat(outcome.result()).isEqualTo("I see gold");
    assertThat(child.requests()).hasSize(3);
  }

  private void silentChild() {
    kit.child("dig", model -> model.saysAndCalls("I see gold", LIST).says("").says(""));
  }

  private static HttpAnswer post(SessionId parent, String command) {
    return given()
        .contentType("application/json")
        .header("Prefer", "wait=60")
        .body(Map.of("command", command))
        .post("/v1/sessions/{id}/commands", parent.toString());
  }
}
