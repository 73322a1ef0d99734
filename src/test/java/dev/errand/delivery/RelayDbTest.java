package dev.errand.delivery;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Pipeline;
import dev.errand.task.OwedResults;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class RelayDbTest implements Story {

  @Inject TaskKit kit;
  @Inject OutboxStore outbox;
  @Inject OwedResults results;
  @Inject Jdbi jdbi;

  /** After the last attempt an operator must act; a retry delivers the row once. */
  @Test
  void rowWhoseAttemptsAreUsedUpBecomesDeadAndCanBeRetried() {
    var parent = kit.externalSession();
    kit.child("one", model -> model.says("1"));
    refuseNotices(parent, "raise exception ''not now''");
    var task = kit.submit(parent, "one");
    awaitFailedAttempt(task);

    kit.tamper(
        "update outbox set attempts = 9, available_at = now() where task_id = ?", task.value());
    awaitDead(task);
    acceptNotices();
    var id =
        given().get("/v1/deliveries?task_id={id}", task.toString()).<String>path("items[0].id");
    given().post("/v1/deliveries/{id}/retry", id).then().statusCode(200);
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void dismissedToolResultAnswersTheWaitingCallWithAnError() {
    var ends = new Gate();
    var parent = kit.session(model -> model.callsTask("dig").thenSays("I do without it"));
    kit.child("dig", model -> model.at(ends).says("gold"));
    kit.say(parent, "Dig.");
    ends.awaitArrivals(1);
    var task = kit.awaitTask(parent);
    refuseNotices(parent, "raise exception ''not now''");
    ends.open();
    kit.awaitEnd(task);
    kit.tamper(
        "update outbox set attempts = 9, available_at = now() where task_id = ?", task.value());
    awaitDead(task);
    acceptNotices();

    var id =
        given().get("/v1/deliveries?task_id={id}", task.toString()).<String>path("items[0].id");
    for (int times = 0; times < 2; times++) {
      given()
          .post("/v1/deliveries/{id}/dismiss", id)
          .then()
          .statusCode(200)
          .body("kind", is("tool_result"))
          .body("state", is("suppressed"));
    }
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "assistant");
    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(result -> {
          assertThat(result.isError()).isTrue();
          assertThat(result.text()).contains("could not be delivered", task.toString());
        });
  }

  /** A lock timeout is not counted as a failed attempt. */
  @Test
  void lockTimeoutIsNotAFailedAttempt() {
    var parent = kit.externalSession();
    kit.child("one", model -> model.says("1"));
    refuseNotices(parent, "raise exception ''busy'' using errcode = ''55P03''");
    var task = kit.submit(parent, "one");
    kit.awaitEnd(task);
    var due =
        "select available_at > created_at + interval '500 milliseconds' from outbox where task_id = '%s'";
    await().until(() -> kit.row(due.formatted(task.value()), Boolean.class));

    delivery(task).body("delivery.attempts", is(0)).body("delivery.last_error", nullValue());
    acceptNotices();
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void rowThatCannotBeDeliveredIsRetriedAndDelaysNoOtherRow() {
    var failing = kit.externalSession();
    var other = kit.externalSession();
    kit.child("one", model -> model.says("1"));
    kit.child("two", model -> model.says("2"));
    refuseNotices(failing, "raise exception ''not now''");

    var task = kit.submit(failing, "one");
    kit.awaitEnd(task);
    kit.submit(other, "two");
    kit.awaitRest(other);
    awaitFailedAttempt(task);
    delivery(task).body("delivery.last_error", startsWith("delivery failed"));

    acceptNotices();
    kit.awaitRest(failing);
    assertThat(kit.outline(failing)).containsExactly("notice");
  }

  /** A backlog of large results is read in parts. */
  @Test
  void rowsAreReadUntilTheirResultsAreLargeEnough() {
    var parent = kit.externalSession();
    for (var name : List.of("one", "two", "three")) {
      kit.child(name, model -> model.says("done"));
      kit.submit(parent, name);
    }
    kit.awaitRest(parent);

    QuarkusTransaction.begin();
    try {
      kit.tamper(
          """
          update outbox set state = 'pending', available_at = available_at - interval '1 hour' where session_id = ?
          """,
          parent.value());
      kit.tamper(
          """
          update task set result = (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 40))
          where parent_session_id = ?
          """,
          parent.value());
      assertThat(owed(parent, 1)).containsExactly(true);
      assertThat(owed(parent, 2000)).containsExactly(false, true);
      assertThat(owed(parent, 100_000)).containsExactly(false, false, false);
      assertThat(outbox.receivers(3).more()).isTrue();
      assertThat(outbox.receivers(4).more()).isFalse();
    } finally {
      QuarkusTransaction.rollback();
    }
  }

  /** Whether something follows each result that is read. */
  private List<Boolean> owed(SessionId parent, int bytes) {
    var asked = new OwedResults.OwedQuery(List.of(parent), null, bytes);
    var pipeline = new Pipeline();
    var owed = results.read(pipeline, asked);
    pipeline.execute(jdbi);
    return owed.list().stream().map(OwedResults.OwedResult::isLast).toList();
  }

  private static void awaitFailedAttempt(TaskId task) {
    await().untilAsserted(() -> delivery(task).body("delivery.attempts", greaterThan(0)));
  }

  private static HttpAnswer delivery(TaskId task) {
    return given().get("/v1/tasks/{id}", task.toString()).then();
  }

  private void awaitDead(TaskId task) {
    await().until(() -> kit.look(task).delivery().filter(DeliveryState.DEAD::equals).isPresent());
  }

  private void refuseNotices(SessionId parent, String statement) {
    kit.tamper(
        """
        create or replace function refuse_notices() returns trigger language plpgsql as
          'begin %s; end';
        create trigger refuse_notices before insert on inbox for each row
          when (new.session_id = '%s') execute function refuse_notices();
        create trigger refuse_notices before insert on message for each row
          when (new.session_id = '%s' and new.delivery_id is not null) execute function refuse_notices()
        """
            .formatted(statement, parent.value(), parent.value()));
  }

  private void acceptNotices() {
    kit.tamper("drop function refuse_notices() cascade");
  }
}
