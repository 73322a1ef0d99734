package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import dev.errand.task.Task;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The results of all tasks that a user's turn delegates are heard; agents that keep each other busy
 * stop, and other notices then wait for the user (architecture, rule 16).
 */
@QuarkusTest
class WakeChainDbTest implements Story {

  private static final int ROUNDS = 3;

  @Inject TaskKit kit;

  @Test
  void eightTasksThatEndOneAfterTheOtherAreAllHeard() {
    var ends = IntStream.range(0, 8).mapToObj(_ -> new Gate()).toList();
    for (int number = 0; number < 8; number++) {
      var end = ends.get(number);
      kit.child("thing " + number, model -> model.at(end).says("done"));
    }
    var root = kit.session(model -> model.calls(eight()).saysForever("I see"));
    var expected = new ArrayList<>(List.of("user", told(8), "tool", "assistant"));
    kit.say(root, "Do eight things.");
    awaitOutline(root, expected);

    for (var end : ends) {
      end.open();
      expected.addAll(List.of("notice", "assistant"));
      awaitOutline(root, expected);
    }

    kit.awaitRest(root);
    assertThat(kit.requests(root)).hasSize(10);
    shown(root).body("waiting_notices", is(0));
  }

  /** No child answers before the root's last call of the round, so that each notice comes after. */
  @Test
  void agentsThatKeepEachOtherBusyStopUntilTheirUserActs() {
    var gates = Stream.generate(Gate::new).limit(12).toList();
    kit.children(prompt -> new Script().at(gates.get(number(prompt))).says("done: " + prompt));
    var root =
        kit.session(model -> {
          for (int number = 0; number < gates.size(); number++) {
            model
                .callsTaskInBackground("thing " + number)
                .saysAndOpens("I wait", gates.get(number));
          }
        });

    kit.say(root, "Continue for as long as you can.");
    kit.awaitRest(root);

    assertThat(generations(root)).containsExactly(0, 1, 2, 3);
    assertThat(kit.requests(root)).hasSize(2 * (1 + ROUNDS));
    assertKept(root, 1);

    resume(root);
    kit.awaitRest(root);
    assertThat(generations(root)).containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
    assertThat(kit.transcript(root).get(2 * 2 * (1 + ROUNDS)).text()).contains("thing 3");
    assertKept(root, 1);

    kit.say(root, "Any news?");
    kit.awaitRest(root);
    assertThat(generations(root).subList(8, 12)).containsExactly(0, 1, 2, 3);
    assertThat(kit.outline(root).subList(32, 34)).containsExactly("notice", "user");
    assertThat(kit.requests(root)).hasSize(3 * 2 * (1 + ROUNDS)).hasSizeLessThan(60);
    assertKept(root, 1);
  }

  @Test
  void noticeDuringTheLastModelCallWaitsAsInASessionAtRest() {
    var gate = new Gate();
    var root = kit.session(model -> model.at(gate).says("hello").saysForever("I see"));
    kit.say(root, "Hello.");
    gate.awaitArrivals(1);
    kit.awaitDelivery(endedTaskOfTheLastRound(root));
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "assistant");
    assertKept(root, 1);
    given()
        .contentType("application/json")
        .header("Prefer", "wait=60")
        .body(Map.of("text", "Any news?"))
        .post("/v1/sessions/{id}/messages", root.toString())
        .then()
        .statusCode(200)
        .body("session.state", equalTo("idle"))
        .body("session.waiting_notices", is(0));
    assertThat(kit.outline(root).subList(2, 5)).containsExactly("notice", "user", "assistant");
  }

  @Test
  void noticeThatWakesTheSessionBringsThoseThatWaited() {
    kit.children(prompt -> new Script().says("done"));
    var root = kit.session(model -> model.saysForever("I see"));
    kit.awaitDelivery(endedTaskOfTheLastRound(root));
    assertKept(root, 1);

    kit.submit(root, "one more");
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("notice", "notice", "assistant");
    assertThat(kit.look(root).generation()).isEqualTo(ROUNDS + 1);
    shown(root).body("waiting_notices", is(0));
  }

  @Test
  void noticesThatArriveTogetherCauseOneWake() {
    kit.children(prompt -> new Script().says("done: " + prompt));
    var gate = new Gate();
    var root = kit.session(model -> model.at(gate).says("first").saysForever("I see"));

    kit.submit(root, "one");
    gate.awaitArrivals(1);
    kit.awaitDelivery(kit.submit(root, "two"));
    kit.awaitDelivery(kit.submit(root, "three"));
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.outline(root))
        .containsExactly("notice", "assistant", "notice", "notice", "assistant");
    assertThat(kit.look(root).generation()).isEqualTo(1);
  }

  @Test
  void childIsWokenInEveryRound() {
    var gates = Stream.generate(Gate::new).limit(30).toList();
    kit.children(prompt -> new Script().at(gates.get(number(prompt))).says("done: " + prompt));
    kit.child("lead", model -> delegateOnEveryNotice(model.says("ready"), gates));
    var root = kit.externalSession();
    var child = kit.awaitEnd(kit.submit(root, "lead")).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());

    var lead = kit.submit(root, "go", Map.of("session_id", child.toString(), "max_turns", 12));
    kit.awaitRest(root);

    assertThat(kit.look(lead).outcome().orElseThrow().partial()).isTrue();
    assertThat(generations(child)).startsWith(0, 1, 2, 3, 4);
  }

  @Test
  void resumeRunsAFailedSessionAgainAndChangesNoOther() {
    var root = kit.session(model -> model.fails(Code.MODEL_UNAUTHORIZED).says("here again"));
    resume(root).body("state", is("idle"));
    assertThat(kit.requests(root)).isEmpty();
    kit.say(root, "Are you there?");
    kit.awaitRest(root);
    assertThat(kit.outline(root)).containsExactly("user", "system");

    resume(root);
    kit.awaitRest(root);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("here again");

    resume(root).body("state", is("idle"));
    kit.awaitRest(root);
    assertThat(kit.requests(root)).hasSize(2);
    resume(kit.externalSession());
    given().post("/v1/sessions/{id}/resume", SessionId.next().toString()).then().statusCode(404);
    kit.tamper("update session set state = 'closed' where id = ?", root.value());
    given()
        .post("/v1/sessions/{id}/resume", root.toString())
        .then()
        .statusCode(409)
        .body("errors[0].field", is("id"))
        .body("errors[0].message", startsWith("session_closed: "));
  }

  private static int number(String prompt) {
    return Integer.parseInt(prompt.substring("thing ".length()));
  }

  /** Delegates one task in every turn that is not the answer to a tool call. */
  private static void delegateOnEveryNotice(Script model, List<Gate> gates) {
    for (int number = 0; number < gates.size(); number++) {
      model.callsTaskInBackground("thing " + number).saysAndOpens("I wait", gates.get(number));
    }
  }

  private static Call[] eight() {
    return IntStream.range(0, 8)
        .mapToObj(number -> Call.backgroundTask("thing " + number))
        .toArray(Call[]::new);
  }

  private static String told(int tasks) {
    return "assistant: " + String.join(", ", Collections.nCopies(tasks, "task"));
  }

  private TaskId endedTaskOfTheLastRound(SessionId root) {
    var end = new Gate();
    kit.child("late", model -> model.at(end).says("done"));
    var task = kit.submit(root, "late");
    end.awaitArrivals(1);
    kit.tamper("update task set generation = ? where id = ?", ROUNDS, task.value());
    end.open();
    return task;
  }

  private void awaitOutline(SessionId root, List<String> expected) {
    await()
        .untilAsserted(() -> {
          assertThat(kit.outline(root)).isEqualTo(expected);
          assertThat(kit.look(root).state()).isEqualTo(SessionState.IDLE);
        });
  }

  private List<Integer> generations(SessionId parent) {
    return kit.tasksOf(parent).stream().map(Task::generation).toList();
  }

  private void assertKept(SessionId root, int notices) {
    shown(root).body("state", is("idle")).body("waiting_notices", is(notices));
    given()
        .get("/v1/sessions?root_id={id}&kind=hosted", root.toString())
        .then()
        .body("items.find { it.parent_id == null }.waiting_notices", is(notices));
    assertThat(
            kit.row(
                "select data->>'waiting_notices' from event where type = 'session.notices_held' and session_id = '%s' order by number desc limit 1"
                    .formatted(root.value()),
                String.class))
        .isEqualTo(Integer.toString(notices));
  }

  private static HttpAnswer shown(SessionId session) {
    return given().get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
  }

  private static HttpAnswer resume(SessionId session) {
    return given().post("/v1/sessions/{id}/resume", session.toString()).then().statusCode(202);
  }
}
