package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a tenant may use in a day. */
@QuarkusTest
class DayQuotasDbTest implements Story {

  private static final long MUCH = 1_000_000_000_000L;

  @Inject TaskKit kit;

  @AfterEach
  void unlimited() {
    quotas(Map.of());
    kit.tamper("delete from tenant_day where slot = 99");
  }

  @Test
  void runThatHasStartedWaitsForTheNextDayOrAHigherQuota() {
    quotas(Map.of("tokens_per_day", MUCH));
    var gate = new Gate();
    var script = kit.child("dig", model -> model.at(gate).calls("list", Map.of()).says("gold"));
    var parent = kit.externalSession();
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();

    useUpTheDay();
    gate.open();
    kit.awaitState(child, SessionState.WAITING);

    assertThat(script.requests()).as("only the call that was being made").hasSize(1);
    assertThat(kit.modelEvents(child))
        .isEqualTo("started 1, ended 1, started 1, ended 1 quota_exceeded");
    given()
        .get("/v1/sessions/{id}", child.toString())
        .then()
        .body("last_error.code", is("quota_exceeded"))
        .body("last_error.message", containsString("tokens_per_day = " + MUCH))
        .body("not_before", matchesPattern(".*T00:00:00Z"));
    refused(parent, "tokens_per_day");
    assertThat(of(task, "clock_stopped_at is not null")).as("its time-out does not run").isTrue();
    kit.tamper(
        """
        update task set clock_stopped_at = clock_stopped_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour'
        where id = ?
        """,
        task.value());

    quotas(Map.of());
    assertThat(kit.awaitEnd(task).outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(
            of(
                task,
                "clock_stopped_at is null and deadline_at >= started_at + timeout_ms * interval '1 millisecond'"))
        .isTrue();
  }

  private boolean of(TaskId task, String condition) {
    return kit.row(
        "select %s from task where id = '%s'".formatted(condition, task.value()), Boolean.class);
  }

  /** A pause that begins while its tenant is over the quota applies afterwards. */
  @Test
  void sessionOverTheQuotaIsHandedOverToAPause() {
    quotas(Map.of("tokens_per_day", MUCH));
    useUpTheDay();
    var root = kit.session(model -> model.says("here I am"));
    kit.say(root, "Are you there?");
    awaitQuota(root);

    var pause =
        given()
            .contentType("application/json")
            .body(Map.of("scope", "all", "reason", "night"))
            .post("/v1/pauses")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    try {
      quotas(Map.of());
      await()
          .until(
              () -> given().get("/v1/sessions/{id}", root.toString()).path("pause.reason") != null);
      given()
          .get("/v1/sessions/{id}", root.toString())
          .then()
          .body("state", is("waiting"))
          .body("not_before", nullValue())
          .body("last_error", nullValue());
    } finally {
      given().delete("/v1/pauses/{id}", pause).then().statusCode(204);
    }

    kit.awaitRest(root);
    assertThat(kit.outline(root)).containsExactly("user", "assistant");
  }

  private void awaitQuota(SessionId session) {
    await("the session waits for the quota")
        .until(
            () -> given().get("/v1/sessions/{id}", session.toString()).path("not_before") != null);
  }

  @Test
  void taskThatHasNotStartedStaysPendingWithoutItsTimeOut() {
    quotas(Map.of("cost_per_day", 1_000));
    var gate = new Gate();
    kit.child("first", model -> model.at(gate).says("one"));
    kit.child("second", model -> model.says("two"));
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var first = kit.submit(parent, "first");
    gate.awaitArrivals(1);
    var second = kit.submit(parent, "second");

    useUpTheDay();
    gate.open();
    kit.awaitEnd(first);
    awaitQuota(kit.look(second).child());

    assertThat(kit.look(second).state()).isEqualTo(TaskState.PENDING);
    assertThat(kit.look(second).startedAt()).isNull();
    refused(parent, "cost_per_day");

    kit.tamper("delete from tenant_day where slot = 99");
    assertThat(kit.awaitEnd(second).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void modelWithoutAPriceIsRefusedWhereTheMoneyOfATenantIsLimited() {
    quotas(Map.of("cost_per_day", 1_000));

    kit.post(
            Map.of(
                "description", "a task", "prompt", "dig", "model", ScriptedModel.OneAtATime.NAME))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("model"))
        .body("errors[0].message", containsString("ERRAND_PRICES_FILE"));
  }

  private void refused(SessionId parent, String quota) {
    kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a task",
                "prompt",
                "one too many",
                "background",
                true))
        .then()
        .statusCode(429)
        .header("Retry-After", matchesPattern("[1-9]\\d{0,4}"))
        .body("type", is("https://errand.dev/problems/quota"))
        .body("quota", is(quota))
        .body("errors[0].message", containsString(quota + " ="));
    assertThat(kit.tasksOf(parent)).noneMatch(task -> task.prompt().equals("one too many"));
  }

  private static void quotas(Map<String, ?> quotas) {
    given()
        .contentType("application/json")
        .body(quotas)
        .put("/v1/tenants/default")
        .then()
        .statusCode(200);
  }

  /** Also the days before and after, so that midnight changes nothing. */
  private void useUpTheDay() {
    kit.tamper(
        """
        insert into tenant_day (tenant, day, slot, tokens, cached_tokens, cost)
        select 'default', (now() at time zone 'utc')::date + day, 99, ?, 0, ? from generate_series(-1, 1) day
        """,
        MUCH,
        MUCH);
  }
}
