package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Scarce;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Background tasks and pending tasks above the limits, tasks between attempts, further tenants. */
@QuarkusTest
@TestProfile(Scarce.class)
class CongestionDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void backgroundTaskBeyondTheLimitIsRejectedWithAdvice() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_background_tasks", 1)),
            model ->
                model
                    .callsTaskInBackground("one")
                    .callsTaskInBackground("two")
                    .thenSays("later then")
                    .thenSays("noted"));

    kit.say(parent, "Do two things.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.IDLE);

    assertThat(kit.toolResults(parent).getLast())
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result ->
                assertThat(result.text())
                    .startsWith("Not delegated: 1 background tasks of this session")
                    .contains("1 is the limit", "notice", "task_output", "task_cancel"));
    post(parent, "three")
        .then()
        .statusCode(429)
        .header("Retry-After", matchesPattern("\\d+"))
        .body("errors[0].field", is("parent_session_id"))
        .body("errors[0].message", allOf(containsString("limit"), containsString("task_cancel")));
    assertThat(
            kit.row(
                "select delegations from tree where root_id = '" + parent.value() + "'",
                Integer.class))
        .isEqualTo(1);
    gate.open();
  }

  @Test
  void submissionAboveTheNumberOfPendingTasksIsRejectedForNow() {
    var parent = kit.externalSession();
    var pending = failedOnce(parent, Scarce.MAX_PENDING);
    var reason = Scarce.MAX_PENDING + " tasks are pending";

    post(parent, "one more", "key-" + parent)
        .then()
        .statusCode(429)
        .header("Retry-After", matchesPattern("\\d+"))
        .body("errors[0].message", containsString(reason));
    var hosted = kit.session(model -> model.callsTask("one more").thenSays("alone then"));
    kit.say(hosted, "Do it.");
    kit.awaitRest(hosted);
    assertThat(kit.toolResults(hosted).getFirst().text())
        .as("what a model reads")
        .startsWith("Not delegated: " + reason)
        .contains("try again in a few seconds");

    kit.cancel(pending.getFirst());
    kit.child("one more", model -> model.says("done"));
    post(parent, "one more", "key-" + parent).then().statusCode(202);
    kit.cancel(parent);
  }

  @Test
  void taskBetweenAttemptsHasNoJobAndSendsNoNotice() {
    var parent = kit.externalSession();
    var task = failedOnce(parent, "dig");

    var waiting = kit.look(task);
    assertThat(waiting.attempts()).isEqualTo(1);
    assertThat(waiting.startedAt()).isNotNull();
    assertThat(kit.look(waiting.child()).state()).isEqualTo(SessionState.WAITING);
    assertThat(kit.outline(waiting.child())).containsExactly("user");
    assertThat(kit.outline(parent)).isEmpty();
    kit.cancel(task);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.CANCELLED);
  }

  @Test
  void dueAttemptStartsWithoutAHint() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.fails(Code.MODEL_BAD_RESPONSE).says("gold"));
    var task = kit.submit(parent, "dig");
    awaitFailedAttempt(task);

    kit.tamper(
        "update session set waits_until = now() where id = ?", kit.look(task).child().value());
    var ended = kit.awaitEnd(task);

    assertThat(ended.outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(ended.attempts()).isEqualTo(2);
  }

  @Test
  void timeoutIncludesTheTimeBetweenAttempts() {
    kit.child("dig", model -> model.fails(Code.MODEL_BAD_RESPONSE));
    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("timeout_ms", 500)));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(ending.stopReason()).isEqualTo(StopReason.TIMEOUT);
    assertThat(task.attempts()).isEqualTo(1);
  }

  @Test
  void taskBetweenAttemptsKeepsItsSlot() {
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var task = failedOnce(parent, "dig");

    post(parent, "two").then().statusCode(429);
    kit.cancel(task);
  }

  @Test
  void tenantsNeedDirectoriesOfTheirOwnAndTheirKeysAKeyOfTheService() {
    var openai = Map.of("openai", Map.of("api_key", "sk-of-a-tenant"));

    put("second", Map.of())
        .statusCode(409)
        .body("errors[0].field", is("id"))
        .body(
            "errors[0].message",
            allOf(containsString("errand.workspaces.roots"), containsString("shared=true")));
    given().get("/v1/tenants/second").then().statusCode(404);
    put("default", Map.of("models", Map.of("providers", openai)))
        .statusCode(409)
        .body("errors[0].field", is("models.providers.openai.api_key"))
        .body("errors[0].message", containsString("ERRAND_SECRETS_KEY"));
    put("default", Map.of()).statusCode(200);
  }

  private static HttpAnswer put(String tenant, Map<String, ?> body) {
    return given()
        .contentType("application/json")
        .body(body)
        .put("/v1/tenants/{id}", tenant)
        .then();
  }

  private TaskId failedOnce(SessionId parent, String prompt) {
    kit.child(prompt, model -> model.fails(Code.MODEL_BAD_RESPONSE));
    var task = kit.submit(parent, prompt);
    awaitFailedAttempt(task);
    return task;
  }

  private List<TaskId> failedOnce(SessionId parent, int tasks) {
    kit.children(_ -> new Script().fails(Code.MODEL_BAD_RESPONSE));
    var submitted =
        IntStream.range(0, tasks).mapToObj(number -> kit.submit(parent, "task " + number)).toList();
    submitted.forEach(this::awaitFailedAttempt);
    return submitted;
  }

  private void awaitFailedAttempt(TaskId task) {
    Awaitility.await()
        .until(() -> {
          var found = kit.look(task);
          return found.state() == TaskState.PENDING && found.attempts() == 1;
        });
  }

  private HttpAnswer post(SessionId parent, String prompt) {
    return kit.post(body(parent, prompt));
  }

  private static HttpAnswer post(SessionId parent, String prompt, String key) {
    return given()
        .header("Idempotency-Key", key)
        .contentType("application/json")
        .body(body(parent, prompt))
        .post("/v1/tasks");
  }

  private static Map<String, ?> body(SessionId parent, String prompt) {
    return Map.of(
        "parent_session_id",
        parent.toString(),
        "description",
        "a task",
        "prompt",
        prompt,
        "background",
        true);
  }
}
