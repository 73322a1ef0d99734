package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.SessionId;
import dev.errand.http.IdempotencyHeader;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QuarkusTest
class IdempotencyDbTest implements Story {

  private static final String SESSIONS = "select count(*) from session";

  @Inject TaskKit kit;
  @Inject ObjectMapper mapper;

  private final String key = UUID.randomUUID().toString();

  @Test
  void sameKeyAndBodyGiveTheSameTask() {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));

    var first = post(body(parent, "once"));
    kit.awaitRest(parent);
    var again = post(body(parent, "once"));

    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(taskId(again)).isEqualTo(taskId(first));
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void expiredKeyIsLikeANewOne() {
    var parent = kit.externalSession();
    kit.children(_ -> new Script().says("done"));

    var old = post(body(parent, "once"));
    kit.tamper("update idempotency_key set expires_at = now() where key = ?", key);
    var fresh = post(body(parent, "another"));

    assertThat(taskId(fresh)).isNotEqualTo(taskId(old));
    assertThat(taskId(post(body(parent, "another")))).isEqualTo(taskId(fresh));
    post(body(parent, "once")).then().statusCode(422);
    assertThat(kit.tasksOf(parent)).hasSize(2);
  }

  @Test
  void orderOfFieldsAndWhiteSpaceDoNotMatter() {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));

    var first =
        post(
            """
            {"parent_session_id":"%s","description":"a task","prompt":"once","background":true}
            """
                .formatted(parent));
    var again =
        post(
            """
            { "background": true, "prompt": "once", "description": "a task", "parent_session_id": "%s" }
            """
                .formatted(parent));

    assertThat(taskId(again)).isEqualTo(taskId(first));
  }

  @Test
  void sameKeyWithAnotherBodyIsRefused() {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));
    post(body(parent, "once"));

    post(body(parent, "another"))
        .then()
        .statusCode(422)
        .contentType("application/problem+json")
        .body("errors[0].field", is("Idempotency-Key"));
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void concurrentSubmissionsWithOneKeyCreateOneTask() throws Exception {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));

    try (var threads = Executors.newFixedThreadPool(8)) {
      var answers =
          threads.invokeAll(
              IntStream.range(0, 16)
                  .<Callable<HttpAnswer>>mapToObj(
                      _ -> () -> TaskKit.patiently(() -> post(body(parent, "once"))))
                  .toList());
      assertThat(answers.stream().map(answer -> answer.resultNow().statusCode())).containsOnly(202);
      assertThat(answers.stream().map(answer -> taskId(answer.resultNow())).distinct()).hasSize(1);
    }
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void repetitionWithoutAParentCreatesNoSecondRoot() {
    kit.child("once", model -> model.says("done"));
    var body =
        """
        {"description": "a task", "prompt": "once", "background": true}
        """;

    var first = post(body);
    kit.watch(SessionId.parse(first.path("metadata.session_id")).orElseThrow());
    var before = kit.row(SESSIONS, Long.class);
    post(body);

    assertThat(kit.row(SESSIONS, Long.class)).isEqualTo(before);
  }

  @Test
  void repeatedForegroundSubmissionWaitsForTheSameResult() {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));
    var body =
        """
        {"parent_session_id": "%s", "description": "a task", "prompt": "once"}
        """
            .formatted(parent);

    post(body).then().statusCode(200).body("output", is("done"));
    post(body).then().statusCode(200).body("output", is("done"));

    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void repeatedCommandReturnsItsTask() {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));
    var line = "task:general --prompt once";

    var first = command(parent, line).then().statusCode(200).body("output", is("done"));
    command(parent, line)
        .then()
        .statusCode(200)
        .body("output", is("done"))
        .body("metadata.task_id", is(first.extract().<String>path("metadata.task_id")));
    command(parent, line + " --max-turns 3")
        .then()
        .statusCode(422)
        .body("errors[0].field", is("Idempotency-Key"));

    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void repeatedCommandReturnsItsTaskWhenTheSessionThatItNamesIsGone() {
    var parent = kit.externalSession();
    var teacher = kit.session(model -> model.says("measure twice"));
    kit.say(teacher, "Teach.");
    kit.awaitRest(teacher);
    kit.children(_ -> new Script().says("written"));
    var line = "task:skill:enhance --prompt once --session " + teacher;

    var first = command(parent, line);
    given().delete("/v1/sessions/{id}", teacher.toString()).then().statusCode(204);
    var again = command(parent, line);

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(again.asString()).isEqualTo(first.asString());
    command(parent, line + " --max-turns 3")
        .then()
        .statusCode(422)
        .body("errors[0].field", is("Idempotency-Key"));
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  /** As if the address of the callback had been allowed when the first request was accepted. */
  @Test
  void repetitionReturnsItsTaskWhenItsChecksFailByNow() throws Exception {
    var parent = kit.externalSession();
    kit.child("once", model -> model.says("done"));
    var first = post(body(parent, "once"));
    var refused =
        body(parent, "once")
            .replace(
                "\"prompt\"", "\"callback\": {\"url\": \"http://169.254.169.254/\"}, \"prompt\"");

    post(refused).then().statusCode(422).body("errors[0].field", is("Idempotency-Key"));
    var digest = IdempotencyHeader.digest((ObjectNode) mapper.readTree(refused));
    kit.tamper("update idempotency_key set body_sha256 = ? where key = ?", digest, key);
    var again = post(refused);

    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(taskId(again)).isEqualTo(taskId(first));
    given()
        .contentType("application/json")
        .body(refused)
        .post("/v1/tasks")
        .then()
        .statusCode(422)
        .body("errors[0].field", is("callback.url"));
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void keyOfACommandBelongsToItsSession() {
    var parents = List.of(kit.externalSession(), kit.externalSession());
    kit.child("once", model -> model.says("done"));
    command(parents.get(0), "task:general --prompt once").then().statusCode(200);

    command(parents.get(1), "task:general --prompt once").then().statusCode(422);

    assertThat(kit.tasksOf(parents.get(1))).isEmpty();
  }

  @Test
  void concurrentCommandsWithOneKeyCreateOneTaskOfTheSkillAgent() throws Exception {
    var parent = kit.externalSession();
    kit.children(_ -> new Script().says("found"));

    try (var threads = Executors.newFixedThreadPool(8)) {
      var answers =
          threads.invokeAll(
              IntStream.range(0, 16)
                  .<Callable<HttpAnswer>>mapToObj(_ ->
                      () ->
                          TaskKit.patiently(
                              () -> command(parent, "task:skill:search --prompt once")))
                  .toList());
      assertThat(answers.stream().map(answer -> answer.resultNow().statusCode())).containsOnly(200);
      assertThat(answers.stream().map(answer -> taskId(answer.resultNow())).distinct()).hasSize(1);
    }
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  private HttpAnswer command(SessionId parent, String line) {
    return given()
        .header("Idempotency-Key", key)
        .header("Prefer", "wait=60")
        .contentType("application/json")
        .body(Map.of("command", line))
        .post("/v1/sessions/{id}/commands", parent.toString());
  }

  @Test
  void keyMustBePrintable() {
    given()
        .header("Idempotency-Key", "x".repeat(256))
        .contentType("application/json")
        .body(Map.of("description", "a task", "prompt", "once"))
        .post("/v1/tasks")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("Idempotency-Key"));
  }

  private HttpAnswer post(String body) {
    return given()
        .header("Idempotency-Key", key)
        .contentType("application/json")
        .body(body)
        .post("/v1/tasks");
  }

  private static String body(SessionId parent, String prompt) {
    return """
    {"parent_session_id": "%s", "description": "a task", "prompt": "%s", "background": true}
    """
        .formatted(parent, prompt);
  }

  private static String taskId(HttpAnswer response) {
    return response.path("metadata.task_id");
  }
}
