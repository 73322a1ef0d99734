package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.http.OpenStreams;
import dev.errand.kit.EventClient;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import dev.errand.task.TaskWaiters;
import dev.errand.task.WaitingCallers;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys, session tokens, owners and the audit. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class KeysDbTest {

  /** In place of the status of a response that was cut off. */
  private static final int CUT = 0;

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject OpenStreams streams;
  @Inject TaskWaiters waiters;

  @ConfigProperty(name = "errand.http.max-streams-per-client")
  int maxStreamsPerClient;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeEach
  void begin() {
    kit.begin();
    WithAuthentication.actAsAdmin();
    kit.children(_ -> new Script().saysForever("found"));
  }

  @AfterEach
  void close() {
    WithAuthentication.actAsNobody();
    http.shutdownNow();
  }

  @Test
  void keyIsShownOnceAndStoredAsHash() {
    var key = key("viewer", Map.of());
    var secret = key.substring(key.lastIndexOf('_') + 1);

    as(key).get("/v1/sessions").then().statusCode(200);
    var listed = as(ADMIN_KEY).get("/v1/keys").then().statusCode(200).extract();

    assertThat(key).matches("err_[0-9a-f]{16}_[0-9a-f]{64}");
    assertThat(listed.asString()).doesNotContain(secret).doesNotContain("hash");
    assertThat(listed.<String>path("items.find { it.id == '%s' }.last_used_at".formatted(id(key))))
        .isNotNull();
    assertThat(listed.<String>path("items.find { it.id == '%s' }.created_by".formatted(id(key))))
        .isEqualTo("key:root");
    List<String> rows =
        jdbi.withHandle(handle ->
            handle.createQuery("select api_key::text from api_key").mapTo(String.class).list());
    assertThat(rows).isNotEmpty().noneMatch(row -> row.contains(secret));
  }

  @Test
  void expiredKeyIsNotAcceptedAndNoneIsMadeThatHasExpired() {
    var key = keyThatWasUsedBeforeItExpires(1);

    await().until(() -> as(key).get("/v1/sessions").statusCode() == 401);
    for (var expires : List.of("2020-01-01T00:00:00Z", "+300000-01-01T00:00:00Z", "tomorrow")) {
      as(ADMIN_KEY)
          .contentType("application/json")
          .body(Map.of("name", "late", "role", "viewer", "expires_at", expires))
          .post("/v1/keys")
          .then()
          .statusCode(400)
          .body("errors[0].field", equalTo("expires_at"));
    }
  }

  /** A busy machine may not make or use it in time; then another one lives longer. */
  private static String keyThatWasUsedBeforeItExpires(int seconds) {
    var expires = Instant.now().plusSeconds(seconds);
    var made =
        as(ADMIN_KEY)
            .contentType("application/json")
            .body(Map.of("name", "brief", "role", "viewer", "expires_at", expires.toString()))
            .post("/v1/keys");
    if (made.statusCode() == 201
        && as(made.<String>path("key")).get("/v1/sessions").statusCode() == 200) {
      return made.path("key");
    }
    assertThat(Instant.now()).isAfter(expires);
    return keyThatWasUsedBeforeItExpires(2 * seconds);
  }

  @Test
  void revocationClosesStreamsAndWaitingRequests() throws Exception {
    var key = key("agent", Map.of());
    WithAuthentication.actAs(key);
    var gate = new Gate();
    kit.child("hang", model -> model.at(gate).says("late"));
    var session = kit.externalSession();
    var task = kit.submit(session, "hang");
    var events = Http.uri("/v1/sessions/" + session + "/events");
    try (var stream = EventClient.follow(events, key);
        var others = EventClient.follow(events, ADMIN_KEY)) {
      var callers = WaitingCallers.number(waiters);
      var waiting = status("/v1/tasks/" + task + "?wait_ms=60000", key);
      await().until(() -> stream.connections() == 1 && others.connections() == 1);
      await().until(() -> WaitingCallers.number(waiters) == callers + 1);

      as(ADMIN_KEY).delete("/v1/keys/{id}", id(key)).then().statusCode(204);

      await("the client connects again").until(stream::isRefused);
      assertThat(stream.connections()).isEqualTo(1);
      assertThat(waiting.get()).isIn(CUT, 401);
      assertThat(others.connections()).isEqualTo(1);
      assertThat(others.cuts()).isEmpty();
    }
    as(key).get("/v1/sessions").then().statusCode(401);
    as(ADMIN_KEY).delete("/v1/keys/{id}", id(key)).then().statusCode(204);
    gate.open();
  }

  @Test
  void sessionsOfAnotherAgentDoNotExist() {
    var owner = key("agent", Map.of());
    var other = key("agent", Map.of());
    WithAuthentication.actAs(owner);
    var session = kit.externalSession();
    var task = kit.submit(session, "dig");
    kit.awaitEnd(task);
    var child = kit.look(task).child();

    for (var path :
        List.of("", "/messages", "/tasks?tree=true", "/todos", "/events?tree=true", "/nothing")) {
      as(other).get("/v1/sessions/" + session + path).then().statusCode(404);
      as(other).get("/v1/sessions/" + child + path).then().statusCode(404);
    }
    for (var path : List.of("/cancel", "/resume")) {
      as(other).post("/v1/sessions/" + session + path).then().statusCode(404);
    }
    as(other).get("/v1/tasks/{id}", task.toString()).then().statusCode(404);
    as(other).get("/v1/tasks/{id}/output", task.toString()).then().statusCode(404);
    as(other).post("/v1/tasks/{id}/cancel", task.toString()).then().statusCode(404);
    as(other).post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(404);
    as(other).get("/v1/tools?session_id={id}", session.toString()).then().statusCode(404);
    submit(other, session).then().statusCode(404);
    toolCall(owner, session).then().statusCode(200);
    toolCall(other, session).then().statusCode(404);
    as(other).get("/v1/sessions/{id}/tool-calls/1", session.toString()).then().statusCode(404);
    as(other).delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);
    var unknown = SessionId.next();
    assertThat(as(other).get("/v1/sessions/" + session).asString().replace(session.toString(), "X"))
        .isEqualTo(
            as(other).get("/v1/sessions/" + unknown).asString().replace(unknown.toString(), "X"));
    for (var list : List.of("sessions", "tasks", "deliveries")) {
      assertThat(as(other).get("/v1/" + list).<List<?>>path("items")).as(list).isEmpty();
      assertThat(as(owner).get("/v1/" + list).<List<?>>path("items")).as(list).isNotEmpty();
    }
    for (var everything : List.of(owner, key("viewer", Map.of()), key("operator", Map.of()))) {
      as(everything).get("/v1/sessions/{id}", child.toString()).then().statusCode(200);
      as(everything).get("/v1/tasks/{id}", task.toString()).then().statusCode(200);
    }
  }

  @Test
  void commandQuotesConversationsOfTheSameOwnerOnly() {
    var owner = key("agent", Map.of());
    var other = key("agent", Map.of());
    WithAuthentication.actAs(owner);
    var session = kit.externalSession();
    var task = kit.submit(session, "dig");
    kit.awaitEnd(task);
    var words = kit.look(task).child();
    var sibling = kit.externalSession();
    var token = token(owner, sibling, 3_600).statusCode(201).extract().<String>path("token");
    WithAuthentication.actAs(other);
    var foreign = kit.externalSession();

    enhance(owner, sibling, words)
        .then()
        .statusCode(202)
        .body("metadata.notes", hasItem("the conversation of session " + words + " was used"));
    for (var refused :
        List.of(
            enhance(other, foreign, words),
            enhance(ADMIN_KEY, foreign, words),
            enhance(token, sibling, words))) {
      refused
          .then()
          .statusCode(400)
          .body("errors[0].message", containsString("there is no session '%s'".formatted(words)));
    }
  }

  private static HttpAnswer enhance(String key, SessionId session, SessionId source) {
    return as(key)
        .contentType("application/json")
        .body(Map.of("command", "task:skill:enhance --background --prompt " + source))
        .post("/v1/sessions/{id}/commands", session.toString());
  }

  @Test
  void idempotencyKeyOfAnotherCallerIsAnotherKey() {
    var first = open(key("agent", Map.of()), "same key");
    var owner = key("agent", Map.of());

    var second = open(owner, "same key");

    assertThat(second).isNotEqualTo(first);
    assertThat(open(owner, "same key")).isEqualTo(second);
  }

  @Test
  void sessionTokenUsesItsSessionAndWhatIsBelow() {
    var agent = key("agent", Map.of());
    WithAuthentication.actAs(agent);
    var session = kit.externalSession();
    var task = kit.submit(session, "dig");
    kit.awaitEnd(task);
    var child = kit.look(task).child();
    var sibling = kit.externalSession();
    var token = token(agent, session, 3_600).statusCode(201).extract().<String>path("token");
    var below = token(agent, child, 3_600).statusCode(201).extract().<String>path("token");

    as(token).get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
    as(token).get("/v1/sessions/{id}", child.toString()).then().statusCode(200);
    as(token).get("/v1/tasks/{id}", task.toString()).then().statusCode(200);
    submit(token, session).then().statusCode(202);
    toolCall(token, session).then().statusCode(200);
    toolCall(token, sibling).then().statusCode(404);
    as(token).get("/v1/sessions/{id}", sibling.toString()).then().statusCode(404);
    submit(token, sibling).then().statusCode(404);
    as(token)
        .contentType("application/json")
        .body(Map.of("description", "a task", "prompt", "dig", "background", true))
        .post("/v1/tasks")
        .then()
        .statusCode(403);
    assertThat(as(token).get("/v1/sessions").<List<String>>path("items.id"))
        .contains(session.toString(), child.toString())
        .doesNotContain(sibling.toString());
    as(below).get("/v1/sessions/{id}", child.toString()).then().statusCode(200);
    as(below).get("/v1/sessions/{id}", session.toString()).then().statusCode(404);
    assertThat(as(below).get("/v1/sessions").<List<String>>path("items.id"))
        .containsExactly(child.toString());
    token(agent, session, 86_401).statusCode(400);
    token(agent, session, 0).statusCode(400);
  }

  @Test
  void streamsOfSessionTokensCountAsThoseOfTheKeyThatMadeThem() throws Exception {
    var agent = key("agent", Map.of());
    WithAuthentication.actAs(agent);
    var session = kit.externalSession();
    var path = "/v1/sessions/" + session + "/events";
    var clients = new ArrayList<EventClient>();
    await().until(() -> streams.open() == 0);
    for (int number = 0; number < maxStreamsPerClient; number++) {
      var token = token(agent, session, 3_600).statusCode(201).extract().<String>path("token");
      clients.add(EventClient.follow(Http.uri(path), token));
    }
    await().until(() -> streams.open() == maxStreamsPerClient);

    var another = token(agent, session, 3_600).statusCode(201).extract().<String>path("token");
    for (var caller : List.of(agent, another)) {
      as(caller).get(path).then().statusCode(429).body("detail", containsString("This client"));
    }
    try (var other = EventClient.follow(Http.uri(path), ADMIN_KEY)) {
      await().until(() -> other.connections() == 1);
    }

    for (var client : clients) {
      client.close();
    }
  }

  @Test
  void sessionTokenEndsWithTimeItsSessionAndItsKey() {
    var agent = key("agent", Map.of());
    WithAuthentication.actAs(agent);
    var session = kit.externalSession();
    var deleted = kit.externalSession();
    var brief = token(agent, session, 1).extract().<String>path("token");
    var ofDeleted = token(agent, deleted, 3_600).extract().<String>path("token");
    var ofKey = token(agent, session, 3_600).extract().<String>path("token");

    as(agent).delete("/v1/sessions/{id}", deleted.toString()).then().statusCode(204);
    await().until(() -> as(ofDeleted).get("/v1/sessions").statusCode() == 401);
    await().until(() -> as(brief).get("/v1/sessions").statusCode() == 401);
    as(ofKey).get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
    as(ADMIN_KEY).delete("/v1/keys/{id}", id(agent)).then().statusCode(204);

    as(ofKey).get("/v1/sessions/{id}", session.toString()).then().statusCode(401);
  }

  @Test
  void auditSaysWhoDidWhat() {
    var agent = key("agent", Map.of());
    WithAuthentication.actAs(agent);
    var session = kit.externalSession();
    var task = kit.submit(session, "a secret plan");
    kit.awaitEnd(task);
    kit.cancel(session);
    as(agent).post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(200);
    var token = token(agent, session, 3_600).statusCode(201).extract().<String>path("token");
    as(agent).delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);

    var operator = key("operator", Map.of());
    var rows = as(operator).get("/v1/audit?session_id={id}", session.toString()).then().extract();
    var page = as(operator).get("/v1/audit?subject=key:{id}&limit=2", id(agent)).then().extract();
    var next =
        as(operator)
            .get(
                "/v1/audit?subject=key:{id}&limit=2&cursor={c}",
                id(agent),
                page.path("next_cursor"))
            .then()
            .statusCode(200)
            .extract();

    assertThat(rows.<List<String>>path("items.action"))
        .containsExactly(
            "session.delete",
            "session.cancel",
            "token.create",
            "task.ack",
            "session.cancel",
            "task.submit",
            "session.create");
    assertThat(rows.<List<String>>path("items.subject")).containsOnly("key:" + id(agent));
    assertThat(rows.<List<String>>path("items.target")).contains(task.toString());
    assertThat(rows.asString()).doesNotContain("secret plan", token, agent);
    assertThat(page.<List<?>>path("items")).hasSize(2);
    assertThat(next.<List<?>>path("items"))
        .hasSize(2)
        .doesNotContainAnyElementsOf(page.path("items"));
    as(operator)
        .get("/v1/audit?action=key.create&after={a}", "2020-01-01T00:00:00Z")
        .then()
        .body("items.target", hasItem(id(agent)));
    as(operator)
        .get("/v1/audit?cursor=x")
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("cursor"));
    as(operator)
        .get("/v1/audit?after=x")
        .then()
        .statusCode(400)
        .body("errors[0].message", containsString("RFC 3339"));
  }

  @Test
  void operatorPausesItsOwnTenantOnly() {
    var tenant = "t-" + UUID.randomUUID().toString().substring(0, 8);
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of())
        .put("/v1/tenants/{id}", tenant)
        .then()
        .statusCode(201);
    var operator = key("operator", Map.of());
    var stranger = key("operator", Map.of("tenant", tenant));
    var everywhere =
        pause(ADMIN_KEY, "provider", "offline").statusCode(201).body("tenant", nullValue());
    var theirs = pause(stranger, "agent", "general").statusCode(201);
    String pause = theirs.body("tenant", equalTo(tenant)).extract().path("id");
    String ofAll = everywhere.extract().path("id");

    kit.awaitEnd(kit.submit(kit.externalSession(), "not stopped"));
    assertThat(paused(operator)).containsExactly(ofAll);
    assertThat(paused(stranger)).containsExactly(pause, ofAll);
    assertThat(shown(operator)).contains(ofAll).doesNotContain(pause);
    assertThat(shown(stranger)).contains(ofAll, pause);
    assertThat(shown(key("viewer", Map.of()))).isEmpty();
    pause(operator, "all", null).statusCode(403).body("detail", containsString("admin"));
    pause(operator, "tenant", "default").statusCode(403);
    pause(operator, "provider", "offline").statusCode(201).body("tenant", equalTo("default"));
    as(operator).delete("/v1/pauses/{id}", ofAll).then().statusCode(403);
    as(operator).delete("/v1/pauses/{id}", pause).then().statusCode(204);
    assertThat(paused(stranger)).containsExactly(pause, ofAll);
    as(stranger).delete("/v1/pauses/{id}", pause).then().statusCode(204);
    assertThat(paused(stranger)).containsExactly(ofAll);

    paused(ADMIN_KEY)
        .forEach(id -> as(ADMIN_KEY).delete("/v1/pauses/{id}", id).then().statusCode(204));
    assertThat(paused(operator)).isEmpty();
    as(stranger).get("/v1/audit").then().body("items.action", hasItem("pause.delete"));
  }

  private static HttpAnswer pause(String key, String scope, @Nullable String name) {
    var body = new HashMap<>(Map.of("scope", scope, "reason", "maintenance"));
    if (name != null) {
      body.put("name", name);
    }
    return as(key).contentType("application/json").body(body).post("/v1/pauses").then();
  }

  private static List<String> paused(String key) {
    return as(key).get("/v1/pauses").then().statusCode(200).extract().path("items.id");
  }

  /** What needs attention contains the pauses that the caller may see. */
  private static List<String> shown(String key) {
    return as(key).get("/v1/attention").then().statusCode(200).extract().path("pauses.id");
  }

  private static String id(String key) {
    return key.split("_")[1];
  }

  private static HttpAnswer toolCall(String caller, SessionId session) {
    return as(caller)
        .contentType("application/json")
        .body(Map.of("call_id", "1", "name", "task_list", "arguments", Map.of()))
        .post("/v1/sessions/{id}/tool-calls", session.toString());
  }

  private static HttpAnswer submit(String caller, SessionId parent) {
    return as(caller)
        .contentType("application/json")
        .body(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a task",
                "prompt",
                "dig",
                "background",
                true))
        .post("/v1/tasks");
  }

  private static HttpAnswer token(String caller, SessionId session, int seconds) {
    return as(caller)
        .contentType("application/json")
        .body(Map.of("expires_in_s", seconds))
        .post("/v1/sessions/{id}/tokens", session.toString())
        .then();
  }

  private String open(String caller, String idempotencyKey) {
    return as(caller)
        .contentType("application/json")
        .header("Idempotency-Key", idempotencyKey)
        .body(Map.of("kind", "external"))
        .post("/v1/sessions")
        .then()
        .statusCode(201)
        .extract()
        .path("id");
  }

  /** The status of a response that has ended. The client of the JDK repeats some that were cut. */
  private CompletableFuture<Integer> status(String path, String key) {
    var request =
        HttpRequest.newBuilder(Http.uri(path)).header("Authorization", "Bearer " + key).build();
    return http.sendAsync(request, BodyHandlers.ofString())
        .handle((answer, cut) -> cut == null ? answer.statusCode() : CUT);
  }
}
