package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.session.SessionState;
import dev.errand.task.StopReason;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Roots that owe their user an answer, and children that end without words above their tasks. */
@QuarkusTest
class SilentParentDbTest implements Story {

  private static final Call LIST = Call.of("list", Map.of());

  @Inject TaskKit kit;
  @Inject ObjectMapper mapper;

  private final Gate above = new Gate();
  private final Gate below = new Gate();

  /**
   * What the user of a root gets.
   *
   * @param posts the types of the posts with their texts
   */
  record Row(String name, Consumer<Script> script, List<String> posts, int requests) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> rows() {
    var message = Call.of("message", Map.of("text", "I found gold"));
    return Stream.of(
        new Row("words", model -> model.calls(LIST).says("gold"), List.of("gold"), 2),
        new Row(
            "answers when asked",
            model -> model.calls(LIST).says("").says("gold"),
            List.of("gold"),
            3),
        new Row(
            "words before a call",
            model -> model.saysAndCalls("I see gold", LIST).says("").says(""),
            List.of("I see gold"),
            3),
        new Row("nothing", model -> model.calls(LIST).says("").says(""), List.of("failed"), 3),
        new Row(
            "a sent message", model -> model.calls(message).says(""), List.of("I found gold"), 2),
        new Row(
            "a sent message before work",
            model -> model.calls(message).calls(LIST).says("").says("gold"),
            List.of("I found gold", "gold"),
            4));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void userGetsAnAnswerOrHearsThatThereIsNone(Row row) {
    try (var receiver = new WebhookReceiver()) {
      var root = kit.session(Map.of("callback", Map.of("url", receiver.url())), row.script());

      kit.say(root, "Dig.");
      kit.awaitRest(root);

      assertThat(receiver.posts()).extracting(this::shown).containsExactlyElementsOf(row.posts());
      assertThat(kit.requests(root)).hasSize(row.requests());
      var error = row.posts().contains("failed") ? is("model_empty_answer") : nullValue();
      given()
          .get("/v1/sessions/{id}", root.toString())
          .then()
          .body("state", is("idle"))
          .body("last_error.code", error);
    }
  }

  @Test
  void rootThatHasAnsweredItsUserMayIgnoreANotice() {
    var gate = new Gate();
    var root =
        kit.session(model -> model.callsTaskInBackground("dig").thenSays("digging").says(""));
    kit.child("dig", model -> model.at(gate).says("gold"));

    kit.say(root, "Dig.");
    gate.awaitArrivals(1);
    kit.awaitState(root, SessionState.IDLE);
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.requests(root)).hasSize(3);
    assertThat(kit.outline(root))
        .containsExactly("user", "assistant: task", "tool", "assistant", "notice", "assistant");
  }

  @Test
  void childWithoutWordsWaitsForTheTasksBelowItAndAnswersWithThem() {
    var parent = kit.externalSession();
    var lead = lead(model -> model.says("gold it is"));
    var task = waitingTask(parent);
    assertThat(lead.requests()).hasSize(1);

    below.open();
    var outcome = kit.awaitEnd(task).outcome().orElseThrow();

    assertThat(outcome.stopReason()).isEqualTo(StopReason.END_TURN);
    assertThat(outcome.result()).isEqualTo("gold it is");
    assertThat(lead.requests()).hasSize(2).noneMatch(request -> request.closing());
  }

  @Test
  void childThatStaysSilentAfterTheTasksBelowItIsAskedThen() {
    var parent = kit.externalSession();
    var lead = lead(model -> model.says("").says(""));
    var task = waitingTask(parent);

    below.open();
    var outcome = kit.awaitEnd(task).outcome().orElseThrow();

    assertThat(outcome.state()).isEqualTo(TaskState.FAILED);
    assertThat(outcome.error()).extracting(TaskOutcome.Error::code).isEqualTo("model_empty_answer");
    assertThat(lead.requests())
        .extracting(request -> request.closing())
        .containsExactly(false, false, true);
  }

  @Test
  void childIsAskedWhenTheLastResultBelowWasConsumedByAReader() {
    var parent = kit.externalSession();
    var lead = lead(model -> model.says("gold it is"));
    var task = waitingTask(parent);
    var dig = kit.awaitTask(kit.look(task).child());
    kit.tamper(
        "update task set hold_notice_until = now() + interval '1 hour' where id = ?", dig.value());
    below.open();
    kit.awaitEnd(dig);
    kit.tamper(
        "update outbox set state = 'consumed', consumed_at = now() where task_id = ?", dig.value());

    var outcome = kit.awaitEnd(task).outcome().orElseThrow();

    assertThat(outcome.stopReason()).isEqualTo(StopReason.END_TURN);
    assertThat(outcome.result()).isEqualTo("gold it is");
    assertThat(lead.requests())
        .extracting(request -> request.closing())
        .containsExactly(false, true);
  }

  @Test
  void cancelOfASilentChildThatWaitsCancelsTheTasksBelow() {
    var parent = kit.externalSession();
    lead(_ -> {});
    var task = waitingTask(parent);

    assertThat(kit.cancel(kit.look(task).child())).isEqualTo(2);
    below.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.CANCELLED);
  }

  private String shown(WebhookReceiver.Post post) {
    try {
      var event = mapper.readTree(post.body());
      return event.get("type").asText().equals("session.failed")
          ? "failed"
          : event.at("/data/content/0/text").asText();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Scripts a child that first ends without words, and then continues like this. */
  private Script lead(Consumer<Script> then) {
    kit.child("dig", model -> model.at(below).says("gold"));
    return kit.child("lead", model -> then.accept(model.at(above).says("")));
  }

  /** Submits a task whose child has ended without words, above a task that waits at the gate. */
  private TaskId waitingTask(SessionId parent) {
    var task = kit.submit(parent, "lead");
    above.awaitArrivals(1);
    var child = kit.look(task).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    kit.submit(child, "dig");
    below.awaitArrivals(1);
    above.open();
    kit.awaitState(child, SessionState.WAITING);
    assertThat(kit.look(task).state()).isEqualTo(TaskState.RUNNING);
    return task;
  }
}
