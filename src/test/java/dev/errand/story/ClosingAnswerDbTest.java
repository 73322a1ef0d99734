package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelRequest;
import dev.errand.task.StopReason;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What children that end without words are asked, and how their tasks end. */
@QuarkusTest
class ClosingAnswerDbTest implements Story {

  private static final Call LIST = Call.of("list", Map.of());
  private static final String ASKED = "You have ended your work without an answer";
  private static final String USED_UP = "You have used all your turns";

  @Inject TaskKit kit;

  /**
   * How a task ends.
   *
   * @param script of its child
   * @param end {@code stop reason: result}, or {@code error code: result}
   * @param last what the last request ends with; empty when no turn has to be the last one
   * @param requests that the child's model gets
   */
  record Row(String name, Consumer<Script> script, String end, String last, int requests) {

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
    var child = kit.child("dig", row.script());
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
}
