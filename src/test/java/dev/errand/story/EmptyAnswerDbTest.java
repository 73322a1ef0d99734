package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.LanguageModel.ModelRequest;
import dev.errand.model.ModelException.Code;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskOutcome.StopReason;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Children that end without words: they are asked once, and an empty end is no success. */
@QuarkusTest
class EmptyAnswerDbTest implements Story {

  private static final Call LIST = Call.of("list", Map.of());
  private static final String ASKED = "You have ended your work without an answer";
  private static final String USED_UP = "You have used all your turns";

  @Inject TaskKit kit;
  @Inject MeterRegistry registry;
  @Inject ObjectMapper mapper;

  /**
   * How a task ends.
   *
   * @param script of its child
   * @param end {@code stop reason: result}, or {@code error code: result}
   * @param last what the last request ends with; empty when no turn has to be the last one
   * @param requests that the child's model gets
   */
  record Row(String name, UnaryOperator<Script> script, String end, String last, int requests) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("words", model -> model.calls(LIST).says("gold"), "end_turn: gold", "", 2),
        new Row(
            "answers when asked",
            model -> model.calls(LIST).says("").says("gold"),
            "end_turn: gold",
            ASKED,
            3),
        new Row(
            "answers when asked, cut twice",
            model -> model.calls(LIST).says("").saysCut("go").saysCut("ld"),
            "max_tokens: gold",
            "Continue it exactly where it stopped",
            4),
        new Row("at once", model -> model.says(" \n").says("gold"), "end_turn: gold", ASKED, 2),
        new Row("nothing", model -> model.says("").says(""), "model_empty_answer: ", ASKED, 2),
        new Row(
            "nothing after work",
            model -> model.calls(LIST).says("").says(""),
            "model_empty_answer: ",
            ASKED,
            3),
        new Row(
            "nothing visible",
            model -> model.calls(LIST).says("\u00A0\u200B").says("\uFEFF\u00AD"),
            "model_empty_answer: ",
            ASKED,
            3),
        new Row(
            "calls again instead of an answer",
            model -> model.calls(LIST).says("").calls(LIST),
            "model_empty_answer: ",
            ASKED,
            3),
        new Row(
            "words before a call",
            model -> model.saysAndCalls("I see gold", LIST).says("").says(""),
            "no_answer: I see gold",
            ASKED,
            3),
        new Row(
            "words before several calls",
            model ->
                model
                    .saysAndCalls("I see gold", LIST)
                    .calls(Call.of("todoread", Map.of()))
                    .saysAndCalls("and silver", LIST)
                    .says("")
                    .says("\u200B"),
            "no_answer: I see gold\n\nand silver",
            ASKED,
            5),
        new Row(
            "after the last turn",
            model -> model.callsForever("digging", LIST).says("").says("half a hole"),
            "max_turns: half a hole",
            USED_UP,
            7),
        new Row(
            "nothing after the last turn",
            model -> model.callsForever("digging", LIST).says("").says(""),
            "no_answer: digging",
            USED_UP,
            7),
        new Row(
            "no words at all after the last turn",
            model -> model.callsForever("", LIST).calls(LIST).says(""),
            "model_empty_answer: ",
            USED_UP,
            7),
        new Row(
            "model fails when asked",
            model -> model.saysAndCalls("gold", LIST).says("").fails(Code.MODEL_UNAUTHORIZED),
            "model_unauthorized: gold",
            ASKED,
            3));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void childEndsWithAnAnswerOrIsNoSuccess(Row row) {
    var child = kit.child("dig", row.script()::apply);
    var parent = kit.externalSession();

    var result =
        kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a task",
                "prompt",
                "dig",
                "max_turns",
                5));

    var task = kit.tasksOf(parent).getFirst();
    var outcome = task.outcome().orElseThrow();
    var error = outcome.error();
    var reason = error == null ? outcome.stopReason().word() : error.code();
    assertThat(reason + ": " + outcome.result()).isEqualTo(row.end());
    assertThat(child.requests()).hasSize(row.requests());
    assertThat(child.requests()).filteredOn(ModelRequest::closing).hasSizeLessThanOrEqualTo(2);
    assertThat(child.requests().getLast().conversation().getLast().text()).contains(row.last());
    assertThat(kit.transcript(task.child()))
        .noneMatch(message -> message.text().contains("cannot call tools any more"));
    var good = error == null && outcome.stopReason() != StopReason.NO_ANSWER;
    result.then().body("success", is(good)).body("output", containsString(outcome.result()));
    assertThat(task.usage().turns() + (row.end().startsWith("max_tokens") ? 1 : 0))
        .isEqualTo(row.requests() - (row.end().startsWith("model_una") ? 1 : 0));
    given()
        .get("/v1/tasks/{id}", task.id().toString())
        .then()
        .body("state", is(outcome.state().word()))
        .body("partial", is(!row.end().endsWith(": ") && !row.end().startsWith("end_turn")));
  }

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
