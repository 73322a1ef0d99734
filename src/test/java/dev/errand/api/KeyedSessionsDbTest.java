package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.RawHttp;
import dev.errand.kit.SkillKit;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Idempotency keys of requests that make no task: sessions, messages, commands that print. */
@QuarkusTest
class KeyedSessionsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject SkillKit skills;

  private final String key = UUID.randomUUID().toString();

  @Test
  void repeatedSessionIsTheFirstOneWithItsSecret() {
    var body = Map.of("kind", "external", "callback", Map.of("url", "http://127.0.0.1:9/hook"));

    var first = open(body);
    var again = open(body);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(again.asString()).isEqualTo(first.asString());
    assertThat(again.header("Location")).isEqualTo(first.header("Location"));
    assertThat(again.<String>path("callback.secret")).startsWith("whsec_");
    refusedAsReused(open(Map.of("kind", "external")));
  }

  @Test
  void concurrentRequestsWithOneKeyOpenOneSession() throws Exception {
    var title = "concurrent " + key;

    var answers = concurrently(() -> open(Map.of("title", title)));

    assertThat(answers).allMatch(answer -> answer.statusCode() == 201);
    assertThat(answers.stream().map(answer -> answer.<String>path("id")).distinct()).hasSize(1);
    assertThat(sessionsWith(title)).isEqualTo(1);
  }

  @Test
  void refusedSessionTakesNoKey() {
    open(Map.of("agent", "nobody")).then().statusCode(400).body("errors[0].field", is("agent"));

    open(Map.of("kind", "external")).then().statusCode(201);
  }

  @Test
  void keyOfADeletedSessionOpensANewOne() {
    var first = open(Map.of("kind", "external")).<String>path("id");
    given().delete("/v1/sessions/{id}", first).then().statusCode(204);

    var second = open(Map.of("kind", "external")).then().statusCode(201).extract();

    assertThat(second.<String>path("id")).isNotEqualTo(first);
  }

  @Test
  void concurrentRetriesSayAMessageOnce() throws Exception {
    var session = kit.session(model -> model.says("heard"));

    var answers = concurrently(() -> say(session, "hello", "wait=60"));
    var later = say(session, "hello", null);

    assertThat(answers).allMatch(answer -> answer.statusCode() == 200);
    assertThat(answers).allMatch(answer -> answer.path("reply.content[0].text").equals("heard"));
    assertThat(later.statusCode()).isEqualTo(202);
    assertThat(later.<String>path("message_id")).isEqualTo(firstMessage(session));
    assertThat(kit.outline(session)).containsExactly("user", "assistant");
  }

  @Test
  void keyOfAMessageBelongsToItsSessionAndText() {
    var session = kit.session(model -> model.says("heard"));
    var other = kit.session(model -> model.says("never"));
    say(session, "hello", "wait=60").then().statusCode(200);

    refusedAsReused(say(session, "good bye", null));
    refusedAsReused(say(other, "hello", null));

    assertThat(kit.outline(other)).isEmpty();
  }

  @Test
  void closedSessionTakesNeitherMessageNorKey() {
    var session = kit.session(model -> {});
    kit.tamper("update session set state = 'closed' where id = ?", session.value());

    say(session, "hello", null).then().statusCode(409);

    assertThat(kit.row(keysOf(session), Long.class)).isZero();
  }

  @Test
  void repeatedSkillLoadIsNotedOnceAndPrintsTheSame() throws Exception {
    var session = kit.session(model -> {});
    skills.define("keyed", "a skill", "The first text.");

    var answers = concurrently(() -> command(session, "skill:load keyed"));
    skills.define("keyed", "a skill", "The second text.");
    var later = command(session, "skill:load keyed");

    assertThat(answers).allMatch(answer -> answer.statusCode() == 200);
    assertThat(later.asString()).isEqualTo(answers.getFirst().asString());
    assertThat(later.<String>path("output")).contains("The first text.");
    assertThat(kit.transcript(session)).hasSize(1);
    refusedAsReused(command(session, "task:general --prompt once"));
    assertThat(kit.tasksOf(session)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tab\there", "über"})
  void malformedKeyIsRefused(String malformed) {
    var session = kit.externalSession().toString();
    for (var path : List.of("/v1/sessions", "/v1/sessions/" + session + "/commands")) {
      var body = path.endsWith("commands") ? "{\"command\":\"task:general --help\"}" : "{}";
      var answer =
          RawHttp.sendBytes(
              Http.uri("").getPort(),
              String.join(
                  "\r\n",
                  "POST " + path + " HTTP/1.1",
                  "Host: localhost",
                  "Connection: close",
                  "Idempotency-Key: " + malformed,
                  "Content-Type: application/json",
                  "Content-Length: " + body.length(),
                  "",
                  body));

      assertThat(answer.status()).as(answer.text()).isEqualTo(400);
      assertThat(answer.text()).contains("\"field\":\"Idempotency-Key\"");
    }
  }

  @Test
  void keyOfARequestThatHasNotEndedIsAConflict() {
    QuarkusTransaction.begin();
    try {
      kit.tamper("set local idle_in_transaction_session_timeout = 0");
      kit.tamper(
          """
          insert into idempotency_key (tenant, scope, key, body_sha256, session_id, expires_at)
          values ('default', 'sessions', ?, '', gen_random_uuid(), now() + interval '1 day')
          """,
          key);
      open(Map.of("kind", "external"))
          .then()
          .statusCode(409)
          .contentType("application/problem+json")
          .header("Retry-After", notNullValue())
          .body("errors[0].field", is("Idempotency-Key"));
    } finally {
      QuarkusTransaction.rollback();
    }
    open(Map.of("kind", "external")).then().statusCode(201);
  }

  @Test
  void faultDuringTheCommitSaysThatTheRequestMayHaveBeenAccepted() {
    var title = "lost " + key;
    try {
      kit.tamper(
          """
          create function lose_connection() returns trigger language plpgsql as $$
          begin
            perform pg_terminate_backend(pg_backend_pid());
            perform pg_sleep(5);
            return null;
          end $$
          """);
      kit.tamper(
          """
          create constraint trigger lose_connection after insert on session deferrable initially deferred
          for each row when (new.title like 'lost %') execute function lose_connection()
          """);

      open(Map.of("title", title))
          .then()
          .statusCode(503)
          .contentType("application/problem+json")
          .header("Retry-After", notNullValue())
          .body("detail", containsString("may have been accepted"))
          .body("detail", containsString("repeat it with the same Idempotency-Key"));
      given()
          .contentType("application/json")
          .body(Map.of("title", title))
          .post("/v1/sessions")
          .then()
          .statusCode(503)
          .body("detail", containsString("list GET /v1/sessions;"));
    } finally {
      kit.tamper("drop trigger if exists lose_connection on session");
      kit.tamper("drop function lose_connection");
    }

    open(Map.of("title", title)).then().statusCode(201);
    open(Map.of("title", title)).then().statusCode(201);
    assertThat(sessionsWith(title)).isEqualTo(1);
  }

  private static List<HttpAnswer> concurrently(Supplier<HttpAnswer> request) throws Exception {
    Callable<HttpAnswer> patient = () -> TaskKit.patiently(request);
    try (var threads = Executors.newFixedThreadPool(8)) {
      return threads.invokeAll(IntStream.range(0, 8).mapToObj(_ -> patient).toList()).stream()
          .map(answer -> answer.resultNow())
          .toList();
    }
  }

  private HttpAnswer open(Map<String, ?> body) {
    return given()
        .header("Idempotency-Key", key)
        .contentType("application/json")
        .body(body)
        .post("/v1/sessions");
  }

  private HttpAnswer say(SessionId session, String text, @Nullable String prefer) {
    return given()
        .header("Idempotency-Key", key)
        .headers(prefer == null ? Map.of() : Map.of("Prefer", prefer))
        .contentType("application/json")
        .body(Map.of("text", text))
        .post("/v1/sessions/{id}/messages", session.toString());
  }

  private HttpAnswer command(SessionId session, String line) {
    return given()
        .header("Idempotency-Key", key)
        .contentType("application/json")
        .body(Map.of("command", line))
        .post("/v1/sessions/{id}/commands", session.toString());
  }

  private static void refusedAsReused(HttpAnswer answer) {
    answer
        .then()
        .statusCode(422)
        .contentType("application/problem+json")
        .body("errors[0].field", is("Idempotency-Key"));
  }

  private static String firstMessage(SessionId session) {
    return given().get("/v1/sessions/{id}/messages", session.toString()).path("items[0].id");
  }

  private long sessionsWith(String title) {
    return kit.row("select count(*) from session where title = '" + title + "'", Long.class);
  }

  private static String keysOf(SessionId session) {
    return "select count(*) from idempotency_key where session_id = '" + session.value() + "'";
  }
}
