package dev.errand.retention;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.McpClient;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.ops.TaskAccounting;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Retention deletes expired rows and keeps everything that still has a pending or dead delivery.
 */
@QuarkusTest
class RetentionDbTest {

  private static final String SOME_WAIT =
      "select exists (select 1 from pg_locks where not granted)";

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject Retention retention;
  @Inject KeyRetention keys;
  @Inject SessionStore sessions;
  @Inject TaskAccounting accounting;

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @Test
  void treeWithoutActivityIsDeletedCompletely() {
    var parent = parentOfAnEndedTask();
    age(parent, 31);

    retention.run(() -> false);

    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    assertThat(rows("select 1 from task where root_session_id = ?", parent)).isZero();
    assertThat(rows("select 1 from outbox where session_id = ?", parent)).isZero();
    assertThat(accounting.balance().addsUp()).isTrue();
  }

  @Test
  void treeOfACallIsDeletedADayAfterTheEndOfItsTask() {
    kit.child("dig", model -> model.says("gold"));
    String id =
        McpClient.withTasks()
            .tool("task", Map.of("description", "a task", "prompt", "dig"))
            .path("result.taskId");
    var task = kit.awaitEnd(new TaskId(UUID.fromString(id)));
    kit.awaitDelivery(task.id());

    retention.run(() -> false);
    var expiry =
        kit.row(
            "select (expires_at - '%s')::text from session where id = '%s'"
                .formatted(task.endedAt(), task.root().value()),
            String.class);
    assertThat(expiry).isEqualTo("1 day");
    kit.tamper(
        "update task set ended_at = ended_at - interval '25 h' where id = ?", task.id().value());
    kit.tamper(
        "update session set expires_at = expires_at - interval '25 h' where id = ?",
        task.root().value());
    retention.run(() -> false);

    given().get("/v1/sessions/{id}", task.root().toString()).then().statusCode(404);
    assertThat(accounting.balance().addsUp()).isTrue();
  }

  @Test
  void treeWithRecentActivityIsKept() {
    var young = parentOfAnEndedTask();
    age(young, 29);
    var old = parentOfAnEndedTask();
    age(old, 31);
    jdbi.useHandle(handle ->
        handle.execute("update session set updated_at = now() where parent_id = ?", old.value()));

    retention.run(() -> false);

    given().get("/v1/sessions/{id}", young.toString()).then().statusCode(200);
    given().get("/v1/sessions/{id}", old.toString()).then().statusCode(200);
  }

  @Test
  void treeThatIsUsedAfterTheSearchIsKept() throws Exception {
    var first = kit.externalSession();
    age(first, 32);
    var second = parentOfAnEndedTask();
    age(second, 31);

    try (var thread = Executors.newSingleThreadExecutor()) {
      var sweep =
          QuarkusTransaction.requiringNew()
              .call(() -> {
                assertThat(sessions.keep(first)).isPresent();
                var sweeping = thread.submit(() -> retention.run(() -> false));
                await().until(() -> kit.row(SOME_WAIT, Boolean.class));
                thenUsed(second);
                return sweeping;
              });
      sweep.get();
    }

    given().get("/v1/sessions/{id}", first.toString()).then().statusCode(404);
    given().get("/v1/sessions/{id}", second.toString()).then().statusCode(200);
    assertThat(kit.look(second).state()).isEqualTo(SessionState.IDLE);
  }

  /** In a transaction of its own, which is committed at once. */
  private void thenUsed(SessionId session) {
    QuarkusTransaction.requiringNew()
        .run(() ->
            kit.tamper("update session set updated_at = now() where id = ?", session.value()));
  }

  /** As after a node that died between two sessions. */
  @Test
  void restOfATreeThatWasNotDeletedCompletelyIsDeleted() {
    var parent = parentOfAnEndedTask();
    age(parent, 31);
    kit.tamper(
        "update session set state = 'closed', updated_at = now() where id = ?", parent.value());

    retention.run(() -> false);

    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    assertThat(rows("select 1 from session where root_id = ?", parent)).isZero();
  }

  @Test
  void treeWithADeadDeliveryIsKeptUntilAnOperatorSettlesIt() {
    var parent = parentOfAnEndedTask();
    age(parent, 31);
    markDead(parent);

    retention.run(() -> false);
    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(200);

    jdbi.useHandle(handle ->
        handle.execute(
            "update outbox set state = 'suppressed' where session_id = ?", parent.value()));
    retention.run(() -> false);
    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
  }

  @Test
  void sessionWithAnUndeliveredMessageIsKept() {
    try (var receiver = new WebhookReceiver()) {
      receiver.answers(status(410));
      var session =
          kit.session(
              Map.of("callback", Map.of("url", receiver.url())), model -> model.says("Done."));
      kit.say(session, "Work.");
      kit.awaitRest(session);
      age(session, 31);

      for (var state : List.of("dead", "pending")) {
        setState(session, state);
        retention.run(() -> false);
        given().get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
      }
      setState(session, "suppressed");
      retention.run(() -> false);
      given().get("/v1/sessions/{id}", session.toString()).then().statusCode(404);
      assertThat(rows("select 1 from outbox where session_id = ?", session)).isZero();
    }
  }

  /** The row belongs to the session that has delegated the task, and that is not the root. */
  @Test
  void treeWithADeadPostToTheCallbackOfANestedTaskIsKept() {
    try (var receiver = new WebhookReceiver()) {
      kit.child("dig", model -> model.says("gold"));
      var parent = kit.externalSession();
      var task =
          kit.awaitEnd(
              kit.submit(parent, "dig", Map.of("callback", Map.of("url", receiver.url()))));
      kit.awaitRest(parent);
      jdbi.useHandle(handle ->
          handle.execute(
              "update outbox set session_id = ?, state = 'dead', dead_at = now() where callback_task_id = ?",
              task.child().value(),
              task.id().value()));
      age(parent, 31);

      retention.run(() -> false);
      given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(200);

      setState(task.child(), "suppressed");
      retention.run(() -> false);
      given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    }
  }

  /** A pending row is not due. */
  private void setState(SessionId session, String state) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update outbox set state = ?, available_at = now() + interval '1 hour' where session_id = ?",
            state,
            session.value()));
  }

  @Test
  void expiredKeysAreDeletedAndOthersAreKept() {
    var parent = kit.externalSession();
    submitWithKey(parent, "old-key");
    submitWithKey(parent, "young-key");
    kit.awaitRest(parent);
    jdbi.useHandle(handle ->
        handle.execute(
            "update idempotency_key set expires_at = now() - interval '1 second' where key = 'old-key'"));

    keys.run(() -> false);

    assertThat(
            jdbi.<List<String>, RuntimeException>withHandle(handle ->
                handle
                    .createQuery(
                        "select key from idempotency_key where key in ('old-key', 'young-key')")
                    .mapTo(String.class)
                    .list()))
        .containsExactly("young-key");
  }

  private void submitWithKey(SessionId parent, String key) {
    kit.child(key, model -> model.says("done"));
    var body =
        Map.of(
            "parent_session_id",
            parent.toString(),
            "description",
            "dig",
            "prompt",
            key,
            "background",
            true);
    given()
        .contentType("application/json")
        .header("Idempotency-Key", key)
        .body(body)
        .post("/v1/tasks")
        .then()
        .statusCode(202);
  }

  private SessionId parentOfAnEndedTask() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);
    return parent;
  }

  private void age(SessionId root, int days) {
    jdbi.useHandle(handle -> {
      handle.execute(
          """
          update session set created_at = created_at - ? * interval '1 day', updated_at = updated_at - ? * interval '1 day'
          where root_id = ?
          """,
          days,
          days,
          root.value());
      handle.execute(
          "update task set ended_at = ended_at - ? * interval '1 day' where root_session_id = ?",
          days,
          root.value());
    });
  }

  private void markDead(SessionId parent) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update outbox set state = 'dead', dead_at = now() where session_id = ?",
            parent.value()));
  }

  private int rows(String sql, SessionId id) {
    return jdbi.withHandle(handle -> handle.select(sql, id.value()).mapToMap().list().size());
  }
}
