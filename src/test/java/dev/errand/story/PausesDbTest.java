package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.pause.Pauses;
import dev.errand.session.SessionState;
import dev.errand.task.StoppedClocks;
import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hamcrest.Matcher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pause stops runs at their next turn boundary; nothing is lost, and all of it continues. */
@QuarkusTest
class PausesDbTest implements Story {

  @Inject TaskKit kit;
  @Inject StoppedClocks clocks;
  @Inject Pauses inForce;

  @AfterEach
  void endAll() {
    pauses().forEach(PausesDbTest::end);
  }

  @ParameterizedTest
  @CsvSource({"all,", "tenant,default", "agent,general", "provider,scripted"})
  void whatIsPausedWaitsAndContinues(String scope, @Nullable String name) {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).calls("list", Map.of()).says("gold"));
    kit.child("new", model -> model.says("also done"));
    var parent = kit.externalSession();
    var running = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    var pause = pause(scope, name, "the bill");
    gate.open();
    var stopped = kit.look(running).child();
    awaitPaused(stopped);
    var added = kit.submit(parent, "new");
    var cancelled = kit.submit(parent, "unwanted");
    awaitPaused(kit.look(added).child());
    kit.cancel(cancelled);

    assertThat(kit.outline(stopped)).containsExactly("user", "assistant: list", "tool");
    session(stopped)
        .then()
        .body("state", equalTo("waiting"))
        .body("pause.id", equalTo(pause))
        .body("pause.reason", equalTo("the bill"))
        .body("pause.since", notNullValue());
    assertThat(kit.look(running).state()).isEqualTo(TaskState.RUNNING);
    assertThat(kit.look(added).state()).isEqualTo(TaskState.PENDING);
    assertThat(kit.look(added).attempts()).isZero();
    assertThat(kit.look(cancelled).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.modelEvents(stopped)).isEqualTo("started 1, ended 1, started 1, ended 1 paused");
    assertThat(events(stopped, "paused")).isOne();

    end(pause);
    assertThat(result(kit.awaitEnd(running))).isEqualTo("gold");
    assertThat(result(kit.awaitEnd(added))).isEqualTo("also done");
    assertThat(events(stopped, "pause_ended")).isOne();
    session(stopped).then().body("pause", nullValue());
  }

  @Test
  void foregroundTaskThatHasNotStartedIsAnsweredAsRunning() {
    kit.child("dig", model -> model.says("gold"));
    var parent = kit.externalSession();
    var pause = pause("agent", "general", "the bill");

    kit.postWithoutWaiting(parent, "dig").body("metadata.status", equalTo("running"));
    var task = kit.tasksOf(parent).getFirst();
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("state", equalTo("pending"));

    end(pause);
    kit.awaitRest(parent);
  }

  @Test
  void messageDuringAPauseIsAnsweredAfterIt() {
    var root = kit.session(model -> model.says("here I am"));
    var pause = pause("provider", "scripted", "overload");

    kit.say(root, "Are you there?");
    awaitPaused(root);
    kit.say(root, "Hello?");
    assertThat(kit.requests(root)).isEmpty();

    end(pause);
    kit.awaitRest(root);
    assertThat(kit.outline(root)).containsExactly("user", "user", "assistant");
  }

  /** The database goes away after the commit of the pause, before the node reads it. */
  @Test
  void pauseThatIsCommittedIsAcceptedAndInForce() {
    var root = kit.session(model -> model.says("here I am"));
    kit.tamper(
        """
        alter table pause rename to pause_row;
        create function lost() returns boolean language plpgsql as $$
          begin raise exception 'lost' using errcode = '57P01'; end $$;
        create view pause as select * from pause_row where lost()
        """);
    String pause;
    try {
      pause = pause("provider", "scripted", "overload");
    } finally {
      kit.tamper(
          """
          drop view pause;
          drop function lost();
          alter table pause_row rename to pause
          """);
    }
    await().until(() -> !inForce.inForce().isEmpty());

    kit.say(root, "Are you there?");
    awaitPaused(root);
    end(pause);
    kit.awaitRest(root);
  }

  /** A result arrives while its parent is paused, which takes it up afterwards. */
  @Test
  void onlyTheEndOfTheLastPauseLetsASessionContinue() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var root =
        kit.session(model ->
            model.callsTaskInBackground("dig").at(gate).calls("list", Map.of()).says("found"));
    kit.say(root, "Dig.");
    gate.awaitArrivals(2);
    var first = pause("agent", "PRIMARY", "one");
    var second = pause("provider", "scripted", "two");
    var other = pause("agent", "explore", "of somebody else");
    gate.open();
    awaitPaused(root);
    kit.awaitDelivery(kit.awaitTask(root));

    end(first);
    await("the other pause applies to it")
        .until(() -> session(root).<String>path("pause.reason").equals("two"));
    session(root).then().body("pause.id", equalTo(second));
    assertThat(kit.look(root).state()).isEqualTo(SessionState.WAITING);
    assertThat(events(root, "pause_ended")).isZero();

    end(second);
    kit.awaitRest(root);
    assertThat(kit.outline(root)).contains("notice").endsWith("assistant");
    assertThat(pauses()).containsExactly(other);
  }

  @Test
  void timeOutsDoNotRunDuringAPause() {
    var first = new Gate();
    var gate = new Gate();
    kit.child("above", model -> model.at(first).says("waiting").saysForever("all of it"));
    kit.child("below", model -> model.at(gate).calls("list", Map.of()).says("a part"));
    var parent = kit.externalSession();
    var above = kit.submit(parent, "above");
    first.awaitArrivals(1);
    var child = kit.look(above).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    var below = kit.look(kit.submit(child, "below", Map.of("subagent_type", "explore")));
    gate.awaitArrivals(1);
    first.open();
    kit.awaitState(child, SessionState.WAITING);

    var pause = pause("agent", "explore", "an hour");
    gate.open();
    awaitPaused(below.child());
    await("the time-out of the parent stops").until(() -> stopAnHourEarlier(above));
    assertThat(stopAnHourEarlier(below.id())).isTrue();
    clocks.stopOnlyAbove(List.of());
    assertThat(isStopped(below.id())).as("it is paused itself").isTrue();
    kit.child("late", model -> model.at(new Gate()).says("too late"));
    var late = kit.awaitEnd(kit.submit(parent, "late", Map.of("timeout_ms", 200)));
    assertThat(late.state()).isEqualTo(TaskState.TIMED_OUT);

    end(pause);
    assertThat(result(kit.awaitEnd(above))).isEqualTo("all of it");
    for (var task : List.of(above, below.id())) {
      assertThat(
              kit.row(
                  "select deadline_at >= started_at + timeout_ms * interval '1 millisecond' from task where id = '%s'"
                      .formatted(task.value()),
                  Boolean.class))
          .isTrue();
    }
    assertThat(isStopped(above)).isFalse();
  }

  @Test
  void cancelledSessionIsNotPausedAnyMore() {
    var root = kit.session(model -> model.says("unheard"));
    var pause = pause("all", null, "night");
    kit.say(root, "Hello?");
    awaitPaused(root);

    kit.cancel(root);
    session(root).then().body("state", equalTo("idle")).body("pause", nullValue());
    end(pause);
    assertThat(kit.requests(root)).isEmpty();
  }

  @Test
  void unknownNamesAreRefusedWithWhatExists() {
    refused("agent", "exploer", allOf(containsString("explore"), containsString("general")));
    refused("provider", "openia", allOf(containsString("openai"), containsString("scripted")));
    refused("tenant", "acme", containsString("default"));
    refused("tenant", null, containsString("default"));
    refused("all", "default", containsString("has no name"));
    post(Map.of("scope", "all")).then().statusCode(400).body("errors[0].field", equalTo("reason"));
    assertThat(pauses()).isEmpty();
  }

  @Test
  void pausesAreListedInPages() {
    var ids = List.of(pause("all", null, "1"), pause("agent", "explore", "2"));

    var page = given().get("/v1/pauses?limit=1").then().statusCode(200);
    page.body("items", hasSize(1)).body("items[0].id", equalTo(ids.getLast()));
    page.body("items[0].name", equalTo("explore")).body("items[0].tenant", equalTo("default"));
    given()
        .get("/v1/pauses?limit=1&cursor=" + ids.getLast())
        .then()
        .body("items.id", equalTo(List.of(ids.getFirst())))
        .body("next_cursor", nullValue());

    end(ids.getFirst());
    end(ids.getFirst());
    assertThat(pauses()).containsExactly(ids.getLast());
  }

  @Test
  void pausesOfATenantLeaveRoomForThoseOfAdministratorsAndOfOthers() {
    fill("default");
    try {
      post(body("agent", "explore", "one more"))
          .then()
          .statusCode(409)
          .body("detail", containsString("100 such pauses"));
      for (var other : List.of(body("all", null, "x"), body("tenant", "default", "x"))) {
        end(post(other).then().statusCode(201).extract().path("id"));
      }
      kit.tamper("update pause set tenant = 'acme'");
      for (int tenant = 0; tenant < 10; tenant++) {
        fill("acme-" + tenant);
      }
      end(pause("agent", "explore", "another tenant"));
      end(pause("all", null, "an emergency"));
    } finally {
      kit.tamper("delete from pause");
      assertThat(inForce.refresh()).isEmpty();
    }
  }

  private void fill(String tenant) {
    kit.tamper(
        """
        insert into pause (id, scope, name, tenant, reason)
        select gen_random_uuid(), 'agent', 'unused', ?, 'x' from generate_series(1, ?)
        """,
        tenant,
        Pauses.MOST);
  }

  private void refused(String scope, @Nullable String name, Matcher<String> because) {
    post(body(scope, name, "x"))
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("name"))
        .body("errors[0].message", because);
  }

  private static String pause(String scope, @Nullable String name, String reason) {
    var made = post(body(scope, name, reason)).then().statusCode(201);
    String id = made.extract().path("id");
    made.header("Location", endsWith("/v1/pauses/" + id)).body("reason", equalTo(reason));
    return id;
  }

  private static Map<String, String> body(String scope, @Nullable String name, String reason) {
    var body = new HashMap<>(Map.of("scope", scope, "reason", reason));
    if (name != null) {
      body.put("name", name);
    }
    return body;
  }

  private static HttpAnswer post(Map<String, ?> body) {
    return given().contentType("application/json").body(body).post("/v1/pauses");
  }

  private static void end(String id) {
    given().delete("/v1/pauses/{id}", id).then().statusCode(204);
  }

  private static List<String> pauses() {
    return given().get("/v1/pauses").path("items.id");
  }

  private static HttpAnswer session(SessionId id) {
    return given().get("/v1/sessions/{id}", id.toString());
  }

  private static void awaitPaused(SessionId id) {
    await("a pause applies to the session").until(() -> session(id).path("pause") != null);
  }

  private int events(SessionId session, String reason) {
    return kit.row(
        "select count(*) from event where type = 'session.state' and session_id = '%s' and data ->> 'reason' = '%s'"
            .formatted(session.value(), reason),
        Integer.class);
  }

  /** Makes a time-out that is stopped have stopped an hour earlier, if it is. */
  private boolean stopAnHourEarlier(TaskId task) {
    return kit.row(
            """
            with changed as (
              update task set clock_stopped_at = clock_stopped_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour'
              where id = '%s' and clock_stopped_at is not null
              returning 1)
            select count(*) from changed
            """
                .formatted(task.value()),
            Integer.class)
        == 1;
  }

  private boolean isStopped(TaskId task) {
    return kit.row(
        "select clock_stopped_at is not null from task where id = '%s'".formatted(task.value()),
        Boolean.class);
  }

  private static @Nullable String result(Task task) {
    return task.outcome().map(TaskOutcome::result).orElse(null);
  }
}
