package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the console reads: trees, their steps, what needs attention, and the caller. */
@QuarkusTest
class TreeDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void treeHasNestedSessionsAndTheirTasksWithoutResults() {
    var gate = new Gate();
    kit.child("outer", model -> model.at(gate).says("soon").thenSays("the outer result"));
    kit.child("inner", model -> model.says("the inner result"));
    var root = kit.externalSession();
    var outer = kit.submit(root, "outer");
    gate.awaitArrivals(1);
    var child = kit.childOf(root);
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    kit.awaitDelivery(kit.submit(child, "inner"));
    gate.open();
    kit.awaitEnd(outer);
    var grandchild = kit.childOf(child);

    var tree = get("/v1/sessions/{id}/tree", grandchild);

    assertThat(tree.<List<String>>path("sessions.id"))
        .containsExactly(root.toString(), child.toString(), grandchild.toString());
    assertThat(tree.<List<Integer>>path("sessions.depth")).containsExactly(0, 1, 2);
    assertThat(tree.<List<String>>path("tasks.session_id"))
        .containsExactly(child.toString(), grandchild.toString());
    assertThat(tree.<List<String>>path("tasks.state")).containsOnly("completed");
    assertThat(tree.<Boolean>path("truncated")).isFalse();
    assertThat(tree.<String>path("root_id")).isEqualTo(root.toString());
    assertThat(tree.asString())
        .doesNotContain("the inner result")
        .doesNotContain("the outer result");
  }

  @Test
  void streamAfterTheCursorOfATreeHasOnlyLaterEvents() throws Exception {
    var gate = new Gate();
    kit.child("wait", model -> model.at(gate).says("waited"));
    var root = kit.externalSession();
    var task = kit.submit(root, "wait");
    gate.awaitArrivals(1);
    Integer cursor = get("/v1/sessions/{id}/tree", root).path("cursor");

    gate.open();
    kit.awaitEnd(task);

    try (var events =
        EventClient.follow(
            Http.uri("/v1/sessions/" + root + "/events?tree=true&after=" + cursor))) {
      await().until(() -> events.types().contains("subagent.completed"));
      assertThat(events.received().getFirst().id()).isEqualTo(cursor + 1L);
    }
  }

  @Test
  void treeSaysWhenItShowsNotAll() {
    kit.children(_ -> new Script().says("done"));
    var root = kit.externalSession();
    kit.awaitEnd(kit.submit(root, "one"));
    kit.awaitEnd(kit.submit(root, "two"));

    var tree = given().get("/v1/sessions/{id}/tree?limit=2", root.toString());

    assertThat(tree.<Boolean>path("truncated")).isTrue();
    assertThat(tree.<List<String>>path("sessions.id")).hasSize(2).startsWith(root.toString());
  }

  @Test
  void timelineHasTheStepsOfTheGivenSessionsWithoutWords() {
    kit.child("dig", model -> model.says("gold"));
    var root = kit.externalSession();
    var task = kit.submit(root, "dig");
    kit.awaitEnd(task);
    var child = kit.childOf(root);

    var steps = given().get("/v1/timeline?sessions={id}", child.toString());
    var first = given().get("/v1/timeline?limit=1&sessions={id}", child.toString());
    String next = first.path("next_cursor");
    var rest = given().get("/v1/timeline?sessions={id}&after={next}", child.toString(), next);

    assertThat(steps.<List<String>>path("items.event.type"))
        .containsSubsequence("session.state", "model.started", "model.ended", "session.state")
        .contains("session.message");
    assertThat(steps.<List<String>>path("items.event.source"))
        .containsOnly("/v1/sessions/" + child);
    assertThat(steps.asString()).doesNotContain("gold");
    assertThat(steps.<String>path("next_cursor")).isNull();
    assertThat(first.<List<Integer>>path("items.number")).hasSize(1);
    assertThat(rest.<List<Integer>>path("items.number"))
        .isEqualTo(steps.<List<Integer>>path("items.number").stream().skip(1).toList());
  }

  @Test
  void timelineOfUnknownSessionsIsEmpty() {
    given()
        .get("/v1/timeline?sessions={id}", SessionId.next().toString())
        .then()
        .statusCode(200)
        .body("items", hasSize(0));
    given().get("/v1/timeline?sessions=nonsense").then().statusCode(400);
  }

  @Test
  void failedRootNeedsAttentionUntilItRunsAgain() {
    var root = kit.session(model -> model.fails(Code.MODEL_UNAUTHORIZED).thenSays("better"));
    kit.say(root, "go");
    await().until(() -> failed().contains(root.toString()));

    given().post("/v1/sessions/{id}/resume", root.toString()).then().statusCode(202);

    await().untilAsserted(() -> assertThat(failed()).doesNotContain(root.toString()));
  }

  @Test
  void sessionThatWaitsForItsModelNeedsAttention() {
    var root = kit.session(model -> model.failsForever(Code.MODEL_UNAVAILABLE));
    kit.say(root, "go");

    await().until(() -> attention("sessions_without_model").contains(root.toString()));
    kit.cancel(root);
    await().until(() -> !attention("sessions_without_model").contains(root.toString()));
  }

  @Test
  void pauseNeedsAttentionUntilItEnds() {
    var body = Map.of("scope", "agent", "name", "plan", "reason", "the bill");
    String pause = given().contentType("application/json").body(body).post("/v1/pauses").path("id");

    var paused = given().get("/v1/attention");
    given().delete("/v1/pauses/{id}", pause).then().statusCode(204);
    var ended = given().get("/v1/attention");

    assertThat(paused.<List<String>>path("pauses.id")).contains(pause);
    assertThat(paused.<List<String>>path("pauses.reason")).contains("the bill");
    assertThat(ended.<List<String>>path("pauses.id")).doesNotContain(pause);
  }

  @Test
  void taskWhoseTimeOutPassedLongAgoNeedsAttention() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var root = kit.externalSession();
    var task = kit.submit(root, "dig");
    gate.awaitArrivals(1);

    var overdue =
        QuarkusTransaction.requiringNew()
            .call(() -> {
              keepFromTimingOut(root);
              QuarkusTransaction.requiringNew().run(() -> timeOut(root));
              return attention("overdue_tasks");
            });
    gate.open();

    assertThat(overdue).contains(task.toString());
  }

  @Test
  void taskWhoseClockIsStoppedIsNotOverdue() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var root = kit.externalSession();
    var task = kit.submit(root, "dig");
    gate.awaitArrivals(1);

    kit.tamper("update task set clock_stopped_at = now() where id = ?", task.value());
    timeOut(root);
    var overdue = attention("overdue_tasks");
    gate.open();

    assertThat(overdue).doesNotContain(task.toString());
  }

  @Test
  void moreRowsThanAreShownAreCounted() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("done"));
    var root = kit.externalSession();
    for (int task = 0; task < 21; task++) {
      kit.submit(root, "task " + task);
    }

    var attention =
        QuarkusTransaction.requiringNew()
            .call(() -> {
              keepFromTimingOut(root);
              QuarkusTransaction.requiringNew().run(() -> timeOut(root));
              return given().get("/v1/attention");
            });
    gate.open();

    assertThat(attention.<Integer>path("overdue_tasks.count")).isEqualTo(21);
    assertThat(attention.<List<String>>path("overdue_tasks.items.id")).hasSize(20);
  }

  /** A task ends only in a transaction that locks its session. */
  private void keepFromTimingOut(SessionId root) {
    kit.tamper("select 1 from session where parent_id = ? for update", root.value());
  }

  private void timeOut(SessionId root) {
    kit.tamper(
        "update task set deadline_at = now() - interval '2 minutes' where root_session_id = ?",
        root.value());
  }

  @Test
  void lastEndIsThatOfTheTaskThatEndedLast() {
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    kit.awaitEnd(task);

    String ended = given().get("/v1/tasks/{id}", task.toString()).path("ended_at");

    assertThat(given().get("/v1/attention").<String>path("last_ended_at"))
        .isGreaterThanOrEqualTo(ended);
  }

  @Test
  void everyCallerIsAdministratorWithoutAuthentication() {
    given()
        .get("/v1/me")
        .then()
        .statusCode(200)
        .body("subject", is("anonymous"), "role", is("admin"), "authenticated", is(false));
  }

  /** The tests have a file of prices of their own. */
  @Test
  void currencyOfPricesIsUnknownUnlessConfigured() {
    given().get("/v1/me").then().statusCode(200).body("currency", nullValue());
  }

  @Test
  void rootsAreListedWithTheBeginningOfTheirFirstMessage() {
    var root = kit.session(model -> model.says("hello"));
    kit.say(root, "What is this?");
    kit.awaitRest(root);

    var list = given().get("/v1/sessions?roots=true&root_id={id}", root.toString());

    assertThat(list.<List<String>>path("items.id")).containsExactly(root.toString());
    assertThat(list.<List<String>>path("items.opening")).containsExactly("What is this?");
  }

  @Test
  void rootsCountTheirLiveTasks() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var root = kit.externalSession();
    var task = kit.submit(root, "dig");
    gate.awaitArrivals(1);

    assertThat(liveTasks(root)).containsExactly(1);
    gate.open();
    kit.awaitEnd(task);
    assertThat(liveTasks(root)).containsExactly(0);
  }

  private static List<Integer> liveTasks(SessionId root) {
    return given()
        .get("/v1/sessions?roots=true&root_id={id}", root.toString())
        .path("items.live_tasks");
  }

  private static List<String> failed() {
    return attention("failed_sessions");
  }

  private static List<String> attention(String what) {
    return given().get("/v1/attention").path(what + ".items.id");
  }

  private static HttpAnswer get(String path, SessionId id) {
    return given().get(path, id.toString()).then().statusCode(200);
  }
}
