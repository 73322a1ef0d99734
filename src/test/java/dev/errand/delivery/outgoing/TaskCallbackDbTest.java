package dev.errand.delivery.outgoing;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.task.TaskProgress;
import dev.errand.task.TaskState;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A task with a callback of its own posts its start, its progress and its end. */
@QuarkusTest
class TaskCallbackDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final List<String> ALL = List.of("started", "progress", "ended");

  @Inject TaskKit kit;
  @Inject ObjectMapper mapper;
  @Inject TaskProgress progress;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void backgroundTaskPostsItsStartItsProgressAndItsEndInOrder() throws Exception {
    try (var ofSession = new WebhookReceiver()) {
      var parent =
          kit.externalSession(Map.of("callback", Map.of("url", ofSession.url(), "secret", SECRET)));
      kit.child("dig", model -> model.calls("list", Map.of()).says("gold"));

      var accepted = post(parent, true, Map.of("url", receiver.url(), "events", ALL));
      accepted.then().statusCode(202).body("callback.url", is(receiver.url()));
      var secret = accepted.<String>path("callback.secret");
      kit.awaitRest(parent);

      // A task that takes a second reports its progress again.
      assertThat(types().stream().distinct())
          .containsExactly(
              "background_task.started", "background_task.progress", "background_task.completed");
      assertThat(posted("/sequence"))
          .isEqualTo(IntStream.rangeClosed(1, types().size()).mapToObj(Integer::toString).toList());
      assertThat(posted("/subject")).containsOnly(accepted.<String>path("metadata.task_id"));
      assertThat(posted("/source")).containsOnly("/v1/sessions/" + parent);
      for (var post : receiver.posts()) {
        WebhookReceiver.verify(post, secret);
      }
      assertThat(posted("/data/state")).startsWith("running", "running");
      assertThat(posts().getLast().at("/data/output").asText()).isEqualTo("gold");
      assertThat(ofSession.posts()).as("the session is told as without it").hasSize(1);
      given()
          .get("/v1/deliveries?task_id={id}", accepted.<String>path("metadata.task_id"))
          .then()
          .body(
              "items.findAll { it.target == 'task_webhook' }.kind", is(List.of("event", "event")));
    }
  }

  @Test
  void foregroundTaskPostsTheOtherTypesAndOnlyItsEndByDefault() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.calls("list", Map.of()).saysForever("gold"));

    post(parent, false, Map.of("url", receiver.url(), "events", ALL)).then().statusCode(200);
    receiver.awaitPosts(2);
    post(parent, false, Map.of("url", receiver.url(), "secret", SECRET))
        .then()
        .statusCode(200)
        .body("callback.secret", is(SECRET));
    kit.awaitRest(parent);
    receiver.awaitPosts(3);

    assertThat(types())
        .containsExactly("subagent.started", "subagent.completed", "subagent.completed");
    post(parent, false, null).then().statusCode(200).body("callback", nullValue());
  }

  @Test
  void repeatedRequestGetsTheSameSecret() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var body = body(parent, true, Map.of("url", receiver.url()));

    var secrets =
        List.of(1, 2).stream()
            .map(_ ->
                given()
                    .contentType("application/json")
                    .header("Idempotency-Key", "callback-" + parent)
                    .body(body)
                    .post("/v1/tasks")
                    .<String>path("callback.secret"))
            .toList();

    assertThat(secrets.getFirst()).startsWith("whsec_").isEqualTo(secrets.getLast());
    kit.awaitRest(parent);
    assertThat(types()).containsExactly("background_task.completed");
  }

  /** The first progress waits with all others of the session; the later ones take its place. */
  @Test
  void progressThatIsNotPostedYetIsReplacedByANewerOne() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.calls("list", Map.of()).at(gate).says("gold"));
    delayPosts("new.session_id = '" + parent.value() + "'");
    try {
      var task = kit.submit(parent, "dig", callback(ALL));
      gate.awaitArrivals(1);
      for (int second = 0; second < 5; second++) {
        kit.tamper("update task set progress_at = null where id = ?", task.value());
        QuarkusTransaction.requiringNew().run(() -> progress.record(kit.look(task).child()));
      }

      assertThat(
              kit.row(
                  "select count(*) || ' ' || bool_and((event ->> 'time')::timestamptz > created_at)"
                      + " from outbox where kind = 'progress' and callback_task_id = '"
                      + task.value()
                      + "'",
                  String.class))
          .isEqualTo("1 true");
      gate.open();
      kit.awaitEnd(task);
    } finally {
      kit.tamper("drop trigger delay_posts on outbox");
    }
    kit.tamper("update outbox set available_at = now() where session_id = ?", parent.value());
    kit.awaitRest(parent);
    assertThat(types())
        .containsExactly(
            "background_task.started", "background_task.progress", "background_task.completed");
  }

  @Test
  void refusedProgressIsGivenUpAndARefusedEndIsDead() {
    receiver.refuses("background_task.progress");
    receiver.refuses("background_task.completed");
    var parent = kit.externalSession();
    kit.child("dig", model -> model.calls("list", Map.of()).says("gold"));

    var task = kit.submit(parent, "dig", callback(ALL));

    await().until(() -> states(task).equals("event delivered, event dead"));
    assertThat(given().get("/v1/deliveries?state=dead").<List<String>>path("items.task_id"))
        .containsOnlyOnce(task.toString());
    receiver.answers(WebhookReceiver.status(200));
    var dead = given().get("/v1/deliveries?state=dead&task_id={id}", task.toString());
    given()
        .post("/v1/deliveries/{id}/retry", dead.<String>path("items[0].id"))
        .then()
        .statusCode(200);
    kit.awaitRest(parent);
    assertThat(types()).endsWith("background_task.completed");
  }

  @Test
  void endDoesNotWaitForProgressThatFailed() {
    receiver.refuses("background_task.progress");
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.calls("list", Map.of()).at(gate).says("gold"));
    delayRepeatedProgress();
    try {
      var task = kit.submit(parent, "dig", callback(ALL));
      gate.awaitArrivals(1);
      await()
          .until(() ->
              kit.row(
                  "select exists (select 1 from outbox where kind = 'progress' and attempts = 1"
                      + " and available_at > now() and callback_task_id = '"
                      + task.value()
                      + "')",
                  Boolean.class));
      gate.open();
      kit.awaitRest(parent);

      assertThat(states(task)).isEqualTo("event delivered, event delivered");
    } finally {
      kit.tamper("drop trigger delay_progress on outbox");
    }
    assertThat(types()).endsWith("background_task.completed");
  }

  @Test
  void endDoesNotWaitForProgressThatFailsLater() {
    receiver.answers(
        WebhookReceiver.status(200),
        WebhookReceiver.status(500).withDelay(Duration.ofSeconds(2)),
        WebhookReceiver.status(200));
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.calls("list", Map.of()).at(gate).says("gold"));
    delayRepeatedProgress();
    try {
      var task = kit.submit(parent, "dig", callback(ALL));
      gate.awaitArrivals(1);
      receiver.awaitPosts(2);
      gate.open();
      kit.awaitRest(parent);

      assertThat(states(task)).isEqualTo("event delivered, event delivered");
    } finally {
      kit.tamper("drop trigger delay_progress on outbox");
    }
    assertThat(types())
        .startsWith("background_task.started", "background_task.progress")
        .endsWith("background_task.completed");
  }

  /** From now on, the second attempt to post progress follows in an hour. */
  private void delayRepeatedProgress() {
    kit.tamper(
        """
        create or replace function delay_progress() returns trigger language plpgsql as
          'begin new.available_at := now() + interval ''1 hour''; return new; end';
        create trigger delay_progress before update on outbox for each row
          when (new.kind = 'progress' and new.available_at > old.available_at) execute function delay_progress()
        """);
  }

  @Test
  void receiverThatIsGoneGetsNothingMore() {
    receiver.answers(WebhookReceiver.status(410));
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));

    var task = kit.submit(parent, "dig", callback(ALL));
    await().until(() -> states(task).equals("event dead"));
    gate.open();
    kit.awaitEnd(task);
    kit.awaitRest(parent);

    assertThat(types()).containsExactly("background_task.started");
    assertThat(states(task)).isEqualTo("event dead");
  }

  @Test
  void endIsPostedAlsoWhenTheOwnerStopsTheTask() {
    var gate = new Gate();
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("dig", model -> model.at(gate).says("gold"));
    kit.child("dig more", model -> model.at(gate).says("gold"));
    var first = kit.submit(parent, "dig", callback(List.of("ended")));
    kit.submit(parent, "dig more", callback(List.of("ended")));
    gate.awaitArrivals(2);

    kit.cancel(first);
    receiver.awaitPosts(1);
    kit.cancel(parent);
    receiver.awaitPosts(2);
    kit.awaitRest(parent);

    assertThat(types()).containsExactly("background_task.cancelled", "background_task.cancelled");
  }

  @Test
  void callbackAndItsPostsAreDeletedWithTheSession() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    delayPosts("new.session_id = '" + parent.value() + "'");
    try {
      var task = kit.submit(parent, "dig", callback(ALL));
      kit.awaitEnd(task);

      given().delete("/v1/sessions/{id}", parent.toString()).then().statusCode(204);

      assertThat(states(task)).isEmpty();
      assertThat(
              kit.row(
                  "select count(*) from callback where task_id = '" + task.value() + "'",
                  Long.class))
          .isZero();
      assertThat(receiver.posts()).isEmpty();
    } finally {
      kit.tamper("drop trigger delay_posts on outbox");
    }
  }

  /** A child's task waits for the notices of the tasks below it, not for posts to elsewhere. */
  @Test
  void pendingPostDelaysNoTask() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("lead", model -> model.at(gate).says("done").saysForever("done"));
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "lead");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    delayPosts("new.callback_task_id is not null");
    try {
      var below = kit.submit(child, "dig", callback(List.of("started")));
      kit.awaitEnd(below);
      gate.open();

      kit.awaitState(task, TaskState.COMPLETED);
      assertThat(states(below)).isEqualTo("event pending");
    } finally {
      kit.tamper("drop trigger delay_posts on outbox");
    }
    kit.tamper("update outbox set available_at = now() where session_id = ?", child.value());
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | callback           | \"http://127.0.0.1:1\"",
        "400 | callback.url       | {}",
        "400 | callback.url       | {\"url\": \"nonsense\"}",
        "400 | callback.colour    | {\"url\": \"http://127.0.0.1:1\", \"colour\": \"red\"}",
        "400 | callback.secret    | {\"url\": \"http://127.0.0.1:1\", \"secret\": \"hunter2\"}",
        "400 | callback.events    | {\"url\": \"http://127.0.0.1:1\", \"events\": []}",
        "400 | callback.events[0] | {\"url\": \"http://127.0.0.1:1\", \"events\": [\"deleted\"]}",
        "422 | callback.url       | {\"url\": \"http://169.254.169.254/latest\"}",
        "422 | callback.url       | {\"url\": \"http://me@127.0.0.1\"}",
      })
  void errorOfAnInvalidCallbackNamesTheField(int status, String field, String callback)
      throws Exception {
    given()
        .contentType("application/json")
        .body(body(kit.externalSession(), true, mapper.readTree(callback)))
        .post("/v1/tasks")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("errors[0].field", is(field));
  }

  @Test
  void errorOfAnUnknownEventNamesTheKnownOnes() {
    var callback = Map.of("url", receiver.url(), "events", List.of("begun"));

    post(kit.externalSession(), true, callback)
        .then()
        .statusCode(400)
        .body("errors[0].message", is("must be one of started, progress, ended"));
  }

  /** From now on, rows for which the condition is true are due in an hour. */
  private void delayPosts(String condition) {
    kit.tamper(
        """
        create or replace function delay_posts() returns trigger language plpgsql as
          'begin new.available_at := now() + interval ''1 hour''; return new; end';
        create trigger delay_posts before insert on outbox for each row
          when (%s) execute function delay_posts()
        """
            .formatted(condition));
  }

  private Map<String, ?> callback(List<String> events) {
    return Map.of("callback", Map.of("url", receiver.url(), "events", events));
  }

  private HttpAnswer post(SessionId parent, boolean background, @Nullable Object callback) {
    return kit.post(body(parent, background, callback));
  }

  private static Map<String, ?> body(
      SessionId parent, boolean background, @Nullable Object callback) {
    var body = new HashMap<String, Object>();
    body.put("parent_session_id", parent.toString());
    body.put("description", "a task");
    body.put("prompt", "dig");
    body.put("background", background);
    body.put("callback", callback);
    return body;
  }

  private String states(TaskId task) {
    return kit.row(
        "select coalesce(string_agg(kind || ' ' || state, ', ' order by kind, created_at), '')"
            + " from outbox where callback_task_id = '"
            + task.value()
            + "'",
        String.class);
  }

  private List<String> types() {
    return posted("/type");
  }

  private List<String> posted(String pointer) {
    return posts().stream().map(post -> post.at(pointer).asText()).toList();
  }

  private List<JsonNode> posts() {
    return receiver.posts().stream().map(post -> read(post.body())).toList();
  }

  private JsonNode read(String json) {
    try {
      return mapper.readTree(json);
    } catch (com.fasterxml.jackson.core.JsonProcessingException fault) {
      throw new AssertionError(fault);
    }
  }
}
