package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.Tables;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With {@code cleanup: delete} the transcript of the child is deleted after its result was
 * received.
 */
@QuarkusTest
class CleanupDbTest implements Story {

  private static final Map<String, ?> DELETE = Map.of("cleanup", "delete");

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @TempDir Path workspace;

  @Test
  void transcriptIsDeletedAfterAHostedParentReceivedTheResultAndTheTaskIsKept() {
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("dig", model -> model.calls("list", Map.of()).says("gold"));

    var task = kit.submit(parent, "dig", DELETE);
    var child = kit.look(task).child();
    kit.awaitState(child, SessionState.CLOSED);

    assertThat(kit.transcript(child)).isEmpty();
    assertThat(rows("tool_call", child) + rows("inbox", child) + rows("todo", child)).isZero();
    await().until(() -> isRedacted(task));
    assertThat(kit.outline(parent)).contains("notice");
    given()
        .get("/v1/tasks/{id}", task.toString())
        .then()
        .body("state", equalTo("completed"))
        .body("redacted", equalTo(true))
        .body("result", nullValue())
        .body("usage.turns", equalTo(2));
    given().get("/v1/tasks/{id}/output", task.toString()).then().body("redacted", equalTo(true));
    given()
        .get("/v1/deliveries?task_id={id}", task.toString())
        .then()
        .body("items[0].state", equalTo("delivered"))
        .body("items[0].redacted", equalTo(true));
    assertThat(kit.transcript(parent).toString()).contains("gold");
  }

  @Test
  void noWordOfAChildIsLeftAfterItsResultWasPosted() throws Exception {
    Files.writeString(workspace.resolve("file.txt"), "canary-output");
    try (var receiver = new WebhookReceiver()) {
      var parent =
          kit.externalSession(
              Map.of("workspace", workspace.toString(), "callback", Map.of("url", receiver.url())));
      leavesNoWords(
          parent,
          Map.of(),
          task -> {
            var post = receiver.awaitPosts(1).getFirst().body();
            assertThat(post).contains("canary-result");
          });
    }
  }

  @Test
  void noWordOfAChildIsLeftAfterItsResultWasAcknowledged() throws Exception {
    Files.writeString(workspace.resolve("file.txt"), "canary-output");
    try (var receiver = new WebhookReceiver()) {
      var events = List.of("started", "progress", "ended");
      leavesNoWords(
          kit.externalSession(Map.of("workspace", workspace.toString())),
          Map.of("callback", Map.of("url", receiver.url(), "events", events)),
          task -> {
            kit.awaitDelivery(task);
            assertThat(kit.transcript(kit.look(task).parent()).toString())
                .contains("canary-result");
            given().post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(200);
          });
      assertThat(receiver.posts().getLast().body())
          .as("posted before its words are deleted")
          .contains("background_task.completed", "canary-result");
    }
  }

  private void leavesNoWords(SessionId parent, Map<String, ?> fields, Consumer<TaskId> receive) {
    var gate = new Gate();
    kit.child(
        "canary-prompt",
        model ->
            model
                .saysAndCalls("canary-message", Call.of("read", Map.of("file_path", "file.txt")))
                .at(gate)
                .says("canary-result")
                .saysForever("canary-result"));
    kit.child("canary-below", model -> model.says("canary-result"));
    var more = new HashMap<String, Object>(fields);
    more.putAll(Map.of("cleanup", "delete", "label", "canary-label", "command", "canary-command"));
    var task = kit.submit(parent, "canary-prompt", more);
    gate.awaitArrivals(1);
    var child = kit.look(task).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    var below = kit.submit(child, "canary-below");
    gate.open();
    kit.awaitEnd(below);
    receive.accept(task);
    await().until(() -> isRedacted(task));

    assertThat(new Tables(jdbi).with("canary-")).isEmpty();
    assertThat(isRedacted(below)).isTrue();
    assertThat(
            kit.row(
                "select count(*) from event where data ->> 'redacted' = 'true' and session_id = '"
                    + child.value()
                    + "'",
                Long.class))
        .isGreaterThan(4);
    kit.tamper("update task set redacted_at = null, cleaned_at = null where id = ?", task.value());
    await().until(() -> isRedacted(task));
  }

  @Test
  void aDeadDeliveryKeepsItsWordsUntilItIsRetried() {
    try (var receiver = new WebhookReceiver()) {
      receiver.answers(WebhookReceiver.status(500));
      kit.child("dig", model -> model.says("nugget-of-gold"));
      var parent = kit.externalSession(Map.of("callback", Map.of("url", receiver.url())));
      var task = kit.submit(parent, "dig", DELETE);
      await().until(() -> isCleaned(task));
      assertThat(isRedacted(task)).isFalse();

      receiver.answers(WebhookReceiver.status(200));
      var delivery =
          given().get("/v1/deliveries?task_id={id}", task.toString()).<String>path("items[0].id");
      given().post("/v1/deliveries/{id}/retry", delivery).then().statusCode(200);

      await().until(() -> isRedacted(task));
      assertThat(receiver.posts().getLast().body()).contains("nugget-of-gold");
      assertThat(new Tables(jdbi).with("nugget-of-gold")).isEmpty();
    }
  }

  @Test
  void aResultThatABusyParentHasNotReadIsKept() {
    var gate = new Gate();
    kit.child("dig", model -> model.says("gold"));
    var parent = kit.session(model -> model.at(gate).says("I see").saysForever("I see"));
    kit.say(parent, "Wait.");
    gate.awaitArrivals(1);
    var task = kit.submit(parent, "dig", DELETE);
    await().until(() -> isCleaned(task));

    given()
        .get("/v1/tasks/{id}", task.toString())
        .then()
        .body("result", equalTo("gold"))
        .body("redacted", equalTo(false));
    gate.open();
    await().until(() -> isRedacted(task));

    assertThat(kit.transcript(parent).toString()).contains("gold");
  }

  @Test
  void transcriptIsKeptWithCleanupKeep() {
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("dig", model -> model.says("gold"));
    kit.child("dig too", model -> model.says("gold"));

    var kept = kit.submit(parent, "dig");
    kit.awaitRest(parent);
    var deleted = kit.submit(parent, "dig too", DELETE);
    await().until(() -> isCleaned(deleted));

    assertThat(kit.outline(kit.look(kept).child())).containsExactly("user", "assistant");
  }

  @Test
  void transcriptOfAForegroundTaskIsDeleted() {
    var arguments = new HashMap<String, Object>(DELETE);
    arguments.putAll(Map.of("description", "dig", "prompt", "dig"));
    var parent = kit.session(model -> model.calls(Call.of("task", arguments)).says("thanks"));
    kit.child("dig", model -> model.says("gold"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);
    kit.awaitState(kit.childOf(parent), SessionState.CLOSED);

    assertThat(kit.toolResults(parent).getFirst().text()).contains("gold");
  }

  @Test
  void transcriptIsKeptUntilAnExternalParentWithoutACallbackAcknowledgesTheResult() {
    var parent = kit.externalSession();
    var other = kit.session(model -> model.saysForever("I see"));
    kit.child("dig", model -> model.says("gold"));
    kit.child("dig too", model -> model.says("gold"));

    var task = kit.submit(parent, "dig", DELETE);
    kit.awaitDelivery(task);
    var later = kit.submit(other, "dig too", DELETE);
    await().until(() -> isCleaned(later));
    given().get("/v1/tasks/{id}/output", task.toString()).then().statusCode(200);
    assertThat(kit.outline(kit.look(task).child())).containsExactly("user", "assistant");

    given().post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(200);
    kit.awaitState(kit.look(task).child(), SessionState.CLOSED);
  }

  @Test
  void answerToACallOfAnExternalSessionIsKeptUntilItIsAcknowledged() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var arguments = new HashMap<String, Object>(DELETE);
    arguments.putAll(Map.of("description", "a task", "prompt", "dig"));
    TaskKit.patiently(() ->
            given()
                .contentType("application/json")
                .header("Prefer", "wait=60")
                .body(Map.of("call_id", "1", "name", "task", "arguments", arguments))
                .post("/v1/sessions/{id}/tool-calls", parent.toString()))
        .then()
        .statusCode(200)
        .body("content", startsWith("gold"));
    var task = kit.awaitTask(parent);
    kit.awaitDelivery(task);
    assertThat(isCleaned(task)).isFalse();

    given()
        .post("/v1/tasks/{id}/ack", task.toString())
        .then()
        .statusCode(200)
        .body("delivery.state", equalTo("consumed"));
    await().until(() -> isRedacted(task));

    assertThat(isCleaned(task)).isTrue();
  }

  @Test
  void transcriptOfAResultThatNobodyAcknowledgesIsDeletedAfterADay() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.child("dig too", model -> model.says("gold"));
    var young = kit.submit(parent, "dig", DELETE);
    var old = kit.submit(parent, "dig too", DELETE);
    kit.awaitDelivery(young);
    kit.awaitDelivery(old);

    kit.tamper(
        "update task set ended_at = now() - interval '23 hours' where id = ?", young.value());
    kit.tamper("update task set ended_at = now() - interval '25 hours' where id = ?", old.value());
    await().until(() -> isCleaned(old));

    assertThat(isCleaned(young)).isFalse();
    given().get("/v1/tasks/{id}", old.toString()).then().body("delivery.consumed_at", nullValue());
  }

  @Test
  void descendantsOfTheChildAreDeletedWithIt() {
    var gate = new Gate();
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("lead", model -> model.at(gate).says("waiting").saysForever("done"));
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "lead", DELETE);
    var child = kit.look(task).child();
    gate.awaitArrivals(1);
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    var below = kit.submit(child, "dig");
    gate.open();
    kit.awaitEnd(below);

    await().until(() -> isCleaned(task));

    assertThat(kit.transcript(child)).isEmpty();
    assertThat(kit.transcript(kit.look(below).child())).isEmpty();
    assertThat(kit.look(kit.look(below).child()).state()).isEqualTo(SessionState.CLOSED);
  }

  @Test
  void aDeadPostOfATaskBelowKeepsTheWordsUntilItIsRetried() {
    try (var receiver = new WebhookReceiver()) {
      receiver.answers(WebhookReceiver.status(500));
      var gate = new Gate();
      var parent = kit.session(model -> model.saysForever("I see"));
      kit.child("lead", model -> model.at(gate).says("waiting").saysForever("done"));
      kit.child("dig", model -> model.says("nugget-of-gold"));
      kit.child("else", model -> model.says("else"));
      var task = kit.submit(parent, "lead", DELETE);
      var child = kit.look(task).child();
      gate.awaitArrivals(1);
      kit.tamper(
          "update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
      var below = kit.submit(child, "dig", Map.of("callback", Map.of("url", receiver.url())));
      gate.open();
      receiver.awaitPosts(1);
      kit.tamper(
          """
          update outbox set state = 'dead', dead_at = now(), claim = null, claimed_until = null
          where callback_task_id = ? and state = 'pending'
          """,
          below.value());
      await().until(() -> isCleaned(task));
      var later = kit.submit(parent, "else", DELETE);
      await().until(() -> isRedacted(later));
      assertThat(isRedacted(task)).isFalse();
      assertThat(isRedacted(below)).isFalse();

      receiver.answers(WebhookReceiver.status(200));
      given()
          .post("/v1/deliveries/{id}/retry", deadPostsOf(below).getFirst())
          .then()
          .statusCode(200);
      await().until(() -> isRedacted(task));

      assertThat(receiver.posts().getLast().body()).contains("nugget-of-gold");
      assertThat(isRedacted(below)).isTrue();
    }
  }

  private static List<String> deadPostsOf(TaskId task) {
    return given().get("/v1/deliveries?state=dead&task_id={id}", task.toString()).path("items.id");
  }

  @Test
  void earlierTasksOfAChildAreCleanedWithItsLatest() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold").thenSays("more gold"));
    var first = kit.submit(parent, "dig", DELETE);
    kit.awaitDelivery(first);
    var more = new HashMap<String, Object>(DELETE);
    more.put("session_id", kit.look(first).child().toString());
    var second = kit.submit(parent, "dig on", more);
    kit.awaitDelivery(second);

    given().post("/v1/tasks/{id}/ack", second.toString()).then().statusCode(200);
    await().until(() -> isRedacted(second));

    assertThat(isRedacted(first)).isTrue();
    assertThat(isCleaned(first)).isTrue();
  }

  /** Its client has received the earlier result, and not yet the later one. */
  @Test
  void laterResultStaysUntilItIsAcknowledgedAlsoWhenAnEarlierOneWas() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold").thenSays("more gold"));
    var first = kit.submit(parent, "dig", DELETE);
    kit.awaitDelivery(first);
    var more = new HashMap<String, Object>(DELETE);
    more.put("session_id", kit.look(first).child().toString());
    var second = kit.submit(parent, "dig on", more);
    kit.awaitDelivery(second);

    given().post("/v1/tasks/{id}/ack", first.toString()).then().statusCode(200);
    kit.tamper(
        "update task set ended_at = now() - interval '25 hours' where id = ?", second.value());
    await().until(() -> isRedacted(first));

    assertThat(isCleaned(second)).isTrue();
    assertThat(isRedacted(second)).isFalse();
    given().get("/v1/tasks/{id}", second.toString()).then().body("result", equalTo("more gold"));

    given().post("/v1/tasks/{id}/ack", second.toString()).then().statusCode(200);
    await().until(() -> isRedacted(second));
  }

  @Test
  void closedSessionAcceptsNeitherTasksNorMessages() {
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("dig", model -> model.says("gold"));
    var child = kit.look(kit.submit(parent, "dig", DELETE)).child();
    kit.awaitState(child, SessionState.CLOSED);

    kit.post(task(parent, "session_id", child.toString()))
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("session_id"))
        .body("errors[0].message", containsString("cleanup: delete"));
    kit.post(task(child, "label", "x"))
        .then()
        .statusCode(400)
        .body("errors[0].message", containsString("task has ended"));
    given()
        .contentType("application/json")
        .body(Map.of("text", "hello"))
        .post("/v1/sessions/{id}/messages", child.toString())
        .then()
        .statusCode(409);
    assertThat(rows("inbox", child)).isZero();
  }

  @Test
  void latestTaskOfAChildDecidesOnItsCleanup() {
    var parent = kit.session(model -> model.saysForever("I see"));
    var gate = new Gate();
    kit.child("dig", model -> model.says("gold").at(gate).says("more gold"));
    kit.child("else", model -> model.says("else"));
    var first = kit.submit(parent, "dig");
    kit.awaitRest(parent);
    var child = kit.look(first).child();
    var second =
        kit.submit(parent, "dig on", Map.of("session_id", child.toString(), "cleanup", "delete"));
    gate.awaitArrivals(1);
    var other = kit.submit(parent, "else", DELETE);
    await().until(() -> isCleaned(other));
    assertThat(kit.transcript(child)).isNotEmpty();

    gate.open();
    await().until(() -> isCleaned(second));

    assertThat(kit.transcript(child)).isEmpty();
  }

  private static Map<String, ?> task(SessionId parent, String field, String value) {
    return Map.of(
        "parent_session_id",
        parent.toString(),
        "description",
        "a task",
        "prompt",
        "again",
        "background",
        true,
        field,
        value);
  }

  private boolean isCleaned(TaskId task) {
    return kit.row(
        "select cleaned_at is not null from task where id = '" + task.value() + "'", Boolean.class);
  }

  private boolean isRedacted(TaskId task) {
    return kit.row(
        "select redacted_at is not null from task where id = '" + task.value() + "'",
        Boolean.class);
  }

  private long rows(String table, SessionId session) {
    return kit.row(
        "select count(*) from " + table + " where session_id = '" + session.value() + "'",
        Long.class);
  }
}
