package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.DeliveryState;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.SessionState;
import dev.errand.task.ResultReads;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who reads or acknowledges a result gets no notice of it; who looks at it changes nothing. */
@QuarkusTest
class ReadResultDbTest implements Story {

  @Inject TaskKit kit;
  @Inject ResultReads results;

  @Test
  void getConsumesNothing() {
    var parent = kit.externalSession();
    var task = endedTaskWithDelayedNotice(parent, () -> kit.submit(parent, "dig"));

    getAll(task);
    assertThat(delivery(task)).isEqualTo(DeliveryState.PENDING);
    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitDelivery(task);
    getAll(task);

    assertThat(delivery(task)).isEqualTo(DeliveryState.DELIVERED);
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  private static void getAll(TaskId task) {
    for (var wait : List.of("", "?wait_ms=1000")) {
      given().get("/v1/tasks/{id}" + wait, task.toString()).then().statusCode(200);
      given().get("/v1/tasks/{id}/output" + wait, task.toString()).then().statusCode(200);
    }
  }

  @Test
  void acknowledgementConsumesAPendingNotice() {
    var parent = kit.externalSession();
    var task = endedTaskWithDelayedNotice(parent, () -> kit.submit(parent, "dig"));

    acknowledge(task)
        .statusCode(200)
        .body("id", is(task.toString()))
        .body("result", is("gold"))
        .body("delivery.state", is("consumed"))
        .body("delivery.consumed_at", notNullValue())
        .body("delivery.delivered_at", nullValue());

    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).as("the notice is not delivered").isEmpty();
  }

  @Test
  void acknowledgementOfADeliveredNoticeKeepsItsMessageAndIsIdempotent() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "dig");
    kit.awaitDelivery(task);

    var first = acknowledge(task).statusCode(200).extract();
    var again = acknowledge(task).statusCode(200).extract();

    assertThat(first.<String>path("delivery.state")).isEqualTo("consumed");
    assertThat(first.<String>path("delivery.delivered_at")).isNotNull();
    assertThat(again.asString()).isEqualTo(first.asString());
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void acknowledgementWithdrawsTheNoticeThatAHostedParentHasNotRead() {
    var ends = new Gate();
    var turn = new Gate();
    kit.child("dig", model -> model.at(ends).says("gold"));
    var parent = kit.session(model -> model.callsTaskInBackground("dig").thenSays("I wait"));
    kit.say(parent, "Dig.");
    var task = kit.awaitTask(parent);
    kit.awaitState(parent, SessionState.IDLE);
    kit.script(parent).at(turn).says("Hello.");
    kit.say(parent, "Hello?");
    turn.awaitArrivals(1);
    ends.open();
    kit.awaitDelivery(task);

    acknowledge(task).statusCode(200).body("delivery.state", is("consumed"));
    turn.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).doesNotContain("notice").endsWith("user", "assistant");
  }

  /** The task was accepted with a longer wait, which a stopping node ended early, for example. */
  @Test
  void noticeIsNotKeptForACallerThatLeftBeforeTheEnd() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = TaskId.parse(postWithKey(parent).<String>path("metadata.task_id")).orElseThrow();
    gate.awaitArrivals(1);
    kit.tamper(
        "update task set hold_notice_until = now() + interval '1 hour' where id = ?", task.value());

    postWithKey(parent);
    gate.open();
    kit.awaitDelivery(task);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  /** Posts a foreground task whose caller does not wait, or repeats the request. */
  private static HttpAnswer postWithKey(SessionId parent) {
    var body =
        Map.of("parent_session_id", parent.toString(), "description", "a task", "prompt", "dig");
    return TaskKit.patiently(() ->
            given()
                .header("Prefer", "wait=0")
                .header("Idempotency-Key", "left-" + parent)
                .contentType("application/json")
                .body(body)
                .post("/v1/tasks"))
        .then()
        .statusCode(202);
  }

  @Test
  void noticeOfAnEndedTaskIsDueWhenItIsReleased() {
    var parent = kit.externalSession();
    var task = endedTaskWithDelayedNotice(parent, () -> kit.submit(parent, "dig"));

    results.release(task);
    results.release(task);
    kit.awaitDelivery(task);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void acknowledgementOfADeadNoticeTakesItOffTheDeadLetters() {
    var parent = kit.externalSession();
    var task = endedTaskWithDelayedNotice(parent, () -> kit.submit(parent, "dig"));
    kit.tamper(
        "update outbox set state = 'dead', dead_at = now(), last_error = 'x' where task_id = ?",
        task.value());

    acknowledge(task).statusCode(200).body("delivery.state", is("consumed"));
  }

  @Test
  void onlyTheResultOfAnEndedTaskIsAcknowledged() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    acknowledge(task)
        .statusCode(409)
        .contentType("application/problem+json")
        .body("detail", containsString("has not ended"));
    given().post("/v1/tasks/task_1/ack").then().statusCode(404);
    given().post("/v1/tasks/{id}/ack", TaskId.next().toString()).then().statusCode(404);
    gate.open();
    kit.awaitDelivery(task);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void listingTasksConsumesNothing() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "dig");
    kit.awaitDelivery(task);

    given().get("/v1/tasks?parent_session_id={id}", parent.toString()).then().statusCode(200);
    given().get("/v1/sessions/{id}/tasks", parent.toString()).then().statusCode(200);

    assertThat(delivery(task)).isEqualTo(DeliveryState.DELIVERED);
  }

  @Test
  void readingARunningTaskConsumesNothing() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    given().get("/v1/tasks/{id}/output?wait_ms=50", task.toString()).then().statusCode(200);
    gate.open();
    kit.awaitDelivery(task);

    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void readFromOutsideDoesNotConsumeTheNoticeOfAHostedParent() {
    var parent =
        kit.session(
            model -> model.callsTaskInBackground("dig").thenSays("I wait").thenSays("gold it is"));
    var task =
        endedTaskWithDelayedNotice(
            parent,
            () -> {
              kit.say(parent, "Dig.");
              return kit.awaitTask(parent);
            });

    given().get("/v1/tasks/{id}/output", task.toString()).then().body("result", is("gold"));
    given().get("/v1/tasks/{id}", task.toString()).then().body("delivery.state", is("pending"));
    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).endsWith("notice", "assistant");
    assertThat(delivery(task)).isEqualTo(DeliveryState.DELIVERED);
  }

  @Test
  void acknowledgementDoesNotConsumeTheAnswerThatAHostedParentWaitsFor() {
    var parent = kit.session(model -> model.callsTask("dig").thenSays("gold it is"));
    var task =
        endedTaskWithDelayedNotice(
            parent,
            () -> {
              kit.say(parent, "Dig.");
              return kit.awaitTask(parent);
            });

    given().get("/v1/tasks/{id}/output", task.toString()).then().body("result", is("gold"));
    acknowledge(task).statusCode(200).body("delivery.state", is("pending"));
    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "assistant");
  }

  @Test
  void parentThatReadsTheResultWithItsToolGetsNoNotice() {
    var parent = kit.session(model -> model.callsTaskInBackground("dig").thenSays("I wait"));
    var task =
        endedTaskWithDelayedNotice(
            parent,
            () -> {
              kit.say(parent, "Dig.");
              return kit.awaitTask(parent);
            });
    kit.awaitState(parent, SessionState.IDLE);
    kit.script(parent).calls("task_output", Map.of("task_id", task.toString())).thenSays("gold");

    kit.say(parent, "What is the result?");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getLast().text()).contains("\"result\":\"gold\"");
    assertThat(delivery(task)).isEqualTo(DeliveryState.CONSUMED);
    assertThat(kit.outline(parent)).doesNotContain("notice");
  }

  @Test
  void noticeInTheInboxIsWithdrawnWhenTheParentReadsTheResult() {
    var ends = new Gate();
    var reads = new Gate();
    kit.child("dig", model -> model.at(ends).says("gold"));
    var parent = kit.session(model -> model.callsTaskInBackground("dig").thenSays("I wait"));
    kit.say(parent, "Dig.");
    var task = kit.awaitTask(parent);
    kit.awaitState(parent, SessionState.IDLE);
    kit.script(parent)
        .at(reads)
        .calls("task_output", Map.of("task_id", task.toString()))
        .thenSays("gold");
    kit.say(parent, "What is the result?");
    reads.awaitArrivals(1);
    ends.open();
    kit.awaitDelivery(task);
    assertThatThrownBy(() -> results.byOwner(kit.look(task), new Lease(parent, 0)))
        .isInstanceOf(LeaseLost.class);
    reads.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getLast().text()).contains("\"result\":\"gold\"");
    assertThat(kit.outline(parent)).doesNotContain("notice").endsWith("tool", "assistant");
    assertThat(delivery(task)).isEqualTo(DeliveryState.CONSUMED);
    given()
        .get("/v1/tasks/{id}", task.toString())
        .then()
        .body("delivery.delivered_at", nullValue());
  }

  @Test
  void noticeThatWasReadBeforeTheResultStaysDelivered() {
    var parent = kit.session(model -> model.callsTaskInBackground("dig").saysForever("I see"));
    kit.child("dig", model -> model.says("gold"));
    kit.say(parent, "Dig.");
    var task = kit.awaitTask(parent);
    kit.awaitDelivery(task);
    kit.awaitRest(parent);
    kit.script(parent).calls("task_output", Map.of("task_id", task.toString())).saysForever("gold");

    kit.say(parent, "What is the result?");
    kit.awaitRest(parent);

    assertThat(delivery(task)).isEqualTo(DeliveryState.DELIVERED);
    given().get("/v1/tasks/{id}", task.toString()).then().body("delivery.consumed_at", nullValue());
  }

  private static HttpAnswer acknowledge(TaskId task) {
    return given().post("/v1/tasks/{id}/ack", task.toString()).then();
  }

  private DeliveryState delivery(TaskId task) {
    return kit.look(task).delivery().orElseThrow();
  }

  private interface Delegating {
    TaskId delegate();
  }

  /** Delegates a task and waits for its end; the notice is due in an hour. */
  private TaskId endedTaskWithDelayedNotice(SessionId parent, Delegating delegating) {
    kit.child("dig", model -> model.says("gold"));
    kit.tamper(
        """
        create or replace function delay_notices() returns trigger language plpgsql as
          'begin new.available_at := now() + interval ''1 hour''; return new; end';
        create trigger delay_notices before insert on outbox for each row
          when (new.session_id = '%s') execute function delay_notices()
        """
            .formatted(parent.value()));
    try {
      var task = delegating.delegate();
      kit.awaitEnd(task);
      return task;
    } finally {
      kit.tamper("drop trigger delay_notices on outbox");
    }
  }
}
