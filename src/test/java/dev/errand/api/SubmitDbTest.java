package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.TreeStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class SubmitDbTest implements Story {

  /** The pool has twice as many. */
  private static final int CONNECTIONS_OF_REQUESTS = 9;

  @Inject TaskKit kit;
  @Inject TreeStore trees;

  @Test
  void manySubmissionsLeaveConnectionsToRuns() {
    var parent = kit.externalSession();
    kit.children(_ -> new Script().says("gold"));
    var submissions = new ArrayList<CompletableFuture<Integer>>();

    var blocked =
        QuarkusTransaction.requiringNew()
            .call(() -> {
              trees.lock(parent);
              for (int number = 0; number < 2 * CONNECTIONS_OF_REQUESTS; number++) {
                submissions.add(submitted(parent, "dig " + number));
              }
              return mostThatWait(submissions);
            });

    assertThat(blocked).isBetween(1, CONNECTIONS_OF_REQUESTS);
    assertThat(submissions.stream().map(CompletableFuture::join)).isSubsetOf(202, 503);
  }

  private CompletableFuture<Integer> submitted(SessionId parent, String prompt) {
    var body = new HashMap<String, Object>();
    body.put("parent_session_id", parent.toString());
    body.put("description", "a task");
    body.put("prompt", prompt);
    body.put("background", true);
    var status = new CompletableFuture<Integer>();
    Thread.ofVirtual()
        .start(() ->
            status.complete(
                given().contentType("application/json").body(body).post("/v1/tasks").statusCode()));
    return status;
  }

  /** The first answer comes when the database ends the wait for the lock. */
  private int mostThatWait(List<CompletableFuture<Integer>> submissions) {
    var most = 0;
    while (submissions.stream().noneMatch(CompletableFuture::isDone)) {
      most = Math.max(most, QuarkusTransaction.suspendingExisting().call(this::waitingForLocks));
    }
    return most;
  }

  private int waitingForLocks() {
    return kit.row(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%tree%'",
        Integer.class);
  }

  @Test
  void backgroundTaskIsAcceptedWithItsLocation() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));

    kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a task",
                "prompt",
                "dig",
                "background",
                true))
        .then()
        .statusCode(202)
        .header("Location", containsString("/v1/tasks/task_"))
        .body("success", is(true))
        .body("metadata.status", is("accepted"))
        .body("metadata.session_id", is(parent.toString()))
        .body("metadata.console_url", nullValue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent", "subagent"})
  void agentMayBeNamedInOtherWordsButNotTwice(String alias) {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var fields =
        Map.of(
            "parent_session_id",
            parent.toString(),
            "description",
            "a task",
            "prompt",
            "dig",
            alias,
            "explore");

    kit.post(fields).then().statusCode(200).body("metadata.subagent_type", is("explore"));

    var both = new HashMap<String, Object>(fields);
    both.put("subagent_type", "general");
    kit.post(both).then().statusCode(400).body("errors[0].field", is(alias));
  }

  @Test
  void foregroundTaskAnswersWithItsResultAndSendsNoNotice() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));

    var answer =
        kit.post(
            Map.of(
                "parent_session_id", parent.toString(), "description", "a task", "prompt", "dig"));
    answer
        .then()
        .statusCode(200)
        .body("success", is(true))
        .body("title", is("a task"))
        .body("output", is("gold"))
        .body("metadata.status", is("completed"))
        .body("metadata.stop_reason", is("end_turn"));
    kit.awaitRest(parent);
    var task = kit.tasksOf(parent).getFirst();
    assertThat(answer.<Number>path("metadata.execution_time_ms").longValue())
        .isEqualTo(task.runMs())
        .isLessThan(60_000);

    assertThat(kit.outline(parent)).isEmpty();
  }

  @Test
  void failedForegroundTaskIsAnsweredWithItsError() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.fails(Code.MODEL_UNAUTHORIZED));

    kit.post(
            Map.of(
                "parent_session_id", parent.toString(), "description", "a task", "prompt", "dig"))
        .then()
        .statusCode(200)
        .body("success", is(false))
        .body("output", containsString("model_unauthorized"))
        .body("metadata.status", is("failed"));
  }

  @Test
  void callerGetsANoticeWhenTheWaitEndsFirst() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));

    kit.postWithoutWaiting(parent, "dig").body("metadata.status", is("running"));
    gate.awaitArrivals(1);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void taskWithoutAParentCreatesAnExternalRoot() {
    kit.child("dig", model -> model.says("gold"));

    var root =
        kit.post(Map.of("description", "a task", "prompt", "dig"))
            .then()
            .statusCode(200)
            .extract()
            .<String>path("metadata.session_id");

    var session = kit.watch(SessionId.parse(root).orElseThrow());
    assertThat(kit.look(session).kind().word()).isEqualTo("external");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "prompt        | {\"description\": \"a task\"}",
        "prompt        | {\"description\": \"a task\", \"prompt\": \"\"}",
        "prompt        | {\"description\": \"a task\", \"prompt\": 7}",
        "description   | {\"prompt\": \"x\"}",
        "subagent_type | {\"description\": \"a task\", \"prompt\": \"x\", \"subagent_type\":"
            + " \"wizard\"}",
        "colour        | {\"description\": \"a task\", \"prompt\": \"x\", \"colour\": \"red\"}",
        "timeout_ms    | {\"description\": \"a task\", \"prompt\": \"x\", \"timeout_ms\": -1}",
        "timeout_ms    | {\"description\": \"a task\", \"prompt\": \"x\", \"timeout_ms\": 1.5}",
        "background    | {\"description\": \"a task\", \"prompt\": \"x\", \"background\": \"yes\"}",
        "model         | {\"description\": \"a task\", \"prompt\": \"x\", \"model\": \"gpt\"}",
        "parent_session_id | {\"description\": \"a task\", \"prompt\": \"x\","
            + " \"parent_session_id\": \"ses_1\"}",
        "parent_session_id | {\"description\": \"a task\", \"prompt\": \"x\","
            + " \"parent_session_id\": 7}"
      })
  void wrongFieldIsNamed(String field, String body) {
    given()
        .contentType("application/json")
        .body(body)
        .post("/v1/tasks")
        .then()
        .statusCode(400)
        .contentType("application/problem+json")
        .body("errors[0].field", is(field))
        .body("instance", is("/v1/tasks"));
  }

  @Test
  void unknownFieldIsAnsweredWithAllKnownOnes() {
    kit.post(Map.of("description", "a task", "prompt", "x", "parent_sesion_id", "ses_1"))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("parent_sesion_id"))
        .body("errors[0].message", endsWith(", permissions, parent_session_id, callback)"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {"400 | {\"description\": ", "400 | [1, 2]", "400 | null", "400 | \"text\""})
  void bodyMustBeAnObject(int status, String body) {
    given()
        .contentType("application/json")
        .body(body)
        .post("/v1/tasks")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("detail", not(containsString("Exception")));
  }

  @Test
  void bodyOfTwoMebibytesIsRefused() {
    given()
        .contentType("application/json")
        .body("{\"prompt\": \"" + "x".repeat(2 << 20) + "\"}")
        .post("/v1/tasks")
        .then()
        .statusCode(413);
  }

  @Test
  void unknownParentIsNotFound() {
    kit.post(
            Map.of(
                "parent_session_id",
                SessionId.next().toString(),
                "description",
                "a",
                "prompt",
                "x"))
        .then()
        .statusCode(404)
        .contentType("application/problem+json");
  }

  @ParameterizedTest
  @CsvSource({"task_1", "nonsense", "ses_00000000000000000000000000000000"})
  void unknownTaskIsNotFound(String id) {
    given().get("/v1/tasks/{id}", id).then().statusCode(404);
    given().get("/v1/tasks/{id}/output", id).then().statusCode(404);
    given().post("/v1/tasks/{id}/cancel", id).then().statusCode(404);
    given().get("/v1/tasks/{id}", TaskId.next().toString()).then().statusCode(404);
  }

  @Test
  void waitReturnsWhenTheTaskEnds() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    given()
        .get("/v1/tasks/{id}?wait_ms=50", task.toString())
        .then()
        .statusCode(200)
        .body("state", is("running"));
    Thread.ofVirtual().start(gate::open);
    given()
        .get("/v1/tasks/{id}/output?wait_ms=60000", task.toString())
        .then()
        .statusCode(200)
        .body("is_running", is(false))
        .body("result", is("gold"))
        .body("agent_id", is(kit.look(task).child().toString()));
  }

  @Test
  void waitingUserGetsTheAnswer() {
    var parent = kit.session(model -> model.callsTask("dig").thenSays("gold it is"));
    kit.child("dig", model -> model.says("gold"));

    given()
        .header("Prefer", "wait=100")
        .contentType("application/json")
        .body(Map.of("text", "Dig."))
        .post("/v1/sessions/{id}/messages", parent.toString())
        .then()
        .statusCode(200)
        .body("session.state", is("idle"))
        .body("reply.content[0].text", endsWith("gold it is"));
  }
}
