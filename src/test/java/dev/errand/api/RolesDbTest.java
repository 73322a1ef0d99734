package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.OpenApiDocument.Operation;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Http;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every route of the OpenAPI document, tried by every role and by callers that are unknown. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class RolesDbTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Set<String> READ = Set.of("viewer", "agent", "operator", "admin", "session");
  private static final Set<String> USE = Set.of("agent", "operator", "admin", "session");
  private static final Set<String> OPEN = Set.of("agent", "operator", "admin");
  private static final Set<String> LOOK = Set.of("viewer", "agent", "operator", "admin");
  private static final Set<String> OPERATE = Set.of("operator", "admin");
  private static final Set<String> ADMINISTER = Set.of("admin");

  /** The roles that may use a route. A new route has to be added here. */
  private static final Map<String, Set<String>> ALLOWED =
      Map.ofEntries(
          entry("GET /v1/sessions", READ),
          entry("POST /v1/sessions", OPEN),
          entry("GET /v1/sessions/{id}", READ),
          entry("DELETE /v1/sessions/{id}", OPEN),
          entry("POST /v1/sessions/{id}/cancel", USE),
          entry("POST /v1/sessions/{id}/resume", USE),
          entry("POST /v1/sessions/{id}/commands", USE),
          entry("GET /v1/sessions/{id}/messages", READ),
          entry("POST /v1/sessions/{id}/messages", USE),
          entry("GET /v1/sessions/{id}/messages/{seq}/sent", READ),
          entry("GET /v1/sessions/{id}/events", READ),
          entry("GET /v1/sessions/{id}/tasks", READ),
          entry("GET /v1/sessions/{id}/todos", READ),
          entry("POST /v1/sessions/{id}/tool-calls", USE),
          entry("GET /v1/sessions/{id}/tool-calls/{call_id}", READ),
          entry("POST /v1/sessions/{id}/tokens", OPEN),
          entry("GET /v1/tasks", READ),
          entry("POST /v1/tasks", USE),
          entry("GET /v1/tasks/{id}", READ),
          entry("GET /v1/tasks/{id}/output", READ),
          entry("GET /v1/tasks/{id}/diff", READ),
          entry("POST /v1/tasks/{id}/cancel", USE),
          entry("POST /v1/tasks/{id}/ack", USE),
          entry("GET /v1/sessions/{id}/tree", READ),
          entry("GET /v1/timeline", READ),
          entry("GET /v1/attention", READ),
          entry("GET /v1/me", READ),
          entry("GET /v1/tools", READ),
          entry("GET /v1/skills", LOOK),
          entry("GET /v1/agents", LOOK),
          entry("GET /v1/agents/{name}", LOOK),
          entry("POST /v1/agents/reload", OPERATE),
          entry("GET /v1/deliveries", LOOK),
          entry("GET /v1/deliveries/{id}", LOOK),
          entry("POST /v1/deliveries/{id}/retry", OPERATE),
          entry("POST /v1/deliveries/{id}/dismiss", OPERATE),
          entry("GET /v1/stats", Set.of("viewer", "operator", "admin")),
          entry("GET /v1/audit", OPERATE),
          entry("GET /v1/tenants", ADMINISTER),
          entry("GET /v1/tenants/{id}", ADMINISTER),
          entry("PUT /v1/tenants/{id}", ADMINISTER),
          entry("GET /v1/pauses", OPERATE),
          entry("POST /v1/pauses", OPERATE),
          entry("DELETE /v1/pauses/{id}", OPERATE),
          entry("GET /v1/keys", ADMINISTER),
          entry("POST /v1/keys", ADMINISTER),
          entry("DELETE /v1/keys/{id}", ADMINISTER));

  @Inject TaskKit kit;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @BeforeEach
  void begin() {
    kit.begin();
    WithAuthentication.actAsAdmin();
  }

  @AfterEach
  void close() {
    WithAuthentication.actAsNobody();
    http.shutdownNow();
  }

  @Test
  void everyRouteIsOpenOnlyToItsRoles() throws Exception {
    var document = document();
    kit.children(_ -> new Script().saysForever("found"));
    var faults = new ArrayList<String>();
    var agent = key("agent", Map.of());
    var tokens = new LinkedHashMap<String, String>();
    List.of("viewer", "operator", "admin", "metrics")
        .forEach(role -> tokens.put(role, key(role, Map.of())));
    tokens.put("agent", agent);
    tokens.put("session", "");

    for (var role : tokens.keySet()) {
      WithAuthentication.actAs(agent);
      var session = kit.externalSession();
      var task = kit.submit(session, "dig");
      var caller =
          role.equals("session") ? token(session) : Objects.requireNonNull(tokens.get(role));
      for (var operation : document.operations()) {
        var used = operation.method().equals("delete") ? kit.externalSession() : session;
        var status = send(document, operation, used, task, caller).statusCode();
        var allowed = ALLOWED.getOrDefault(operation.toString(), Set.of()).contains(role);
        if (allowed == (status == 401 || status == 403) || (!allowed && status != 403)) {
          faults.add(role + " " + operation + ": " + status);
        }
      }
    }

    assertThat(faults).isEmpty();
    assertThat(document.operations())
        .extracting(Operation::toString)
        .containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  @Test
  void everyRouteAnswersUnknownCallersWith401() throws Exception {
    var document = document();
    var session = kit.externalSession();
    var task = kit.submit(session, "dig");
    var faults = new ArrayList<String>();
    var wrong = ADMIN_KEY.substring(0, ADMIN_KEY.length() - 1) + "x";

    for (var operation : document.operations()) {
      for (var caller :
          new @Nullable String[] {null, "", "nonsense", wrong, "err_none_" + "0".repeat(64)}) {
        var answer = send(document, operation, session, task, caller);
        var body = new String(answer.body().readAllBytes());
        if (answer.statusCode() != 401
            || !answer.headers().firstValue("WWW-Authenticate").equals(Optional.of("Bearer"))
            || JSON.readTree(body).path("status").asInt() != 401) {
          faults.add(caller + " " + operation + ": " + answer.statusCode() + " " + body);
        }
      }
    }

    assertThat(faults).isEmpty();
    as(ADMIN_KEY).get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
  }

  @Test
  void metricsNeedTheirRoleAndHealthChecksNone() {
    var agent = key("agent", Map.of());

    WithAuthentication.actAsNobody();
    for (var check : List.of("live", "ready", "started")) {
      await("JobRunr has begun")
          .untilAsserted(() -> Http.given().get("/q/health/" + check).then().statusCode(200));
    }
    var unknown = Http.given().get("/q/metrics").then().statusCode(401).extract();

    assertThat(unknown.header("WWW-Authenticate")).isEqualTo("Bearer");
    assertThat(unknown.contentType()).startsWith("application/problem+json");
    as("err_none_" + "0".repeat(64)).get("/q/metrics").then().statusCode(401);
    as(agent).get("/q/metrics").then().statusCode(403);
    as(key("metrics", Map.of())).get("/q/metrics").then().statusCode(200);
    as(key("operator", Map.of())).get("/q/metrics").then().statusCode(200);
  }

  @Test
  void metricsSayWhenToTryAgainWhileNoKeyCanBeChecked() {
    var metrics = key("metrics", Map.of());
    kit.tamper(
        """
        alter table api_key rename to api_key_row;
        create function away() returns boolean language plpgsql as $$
          begin
            raise exception 'away' using errcode = '57P01';
          end $$;
        create view api_key as select * from api_key_row where away()
        """);
    try {
      as(metrics).get("/q/metrics").then().statusCode(503).header("Retry-After", is("5"));
    } finally {
      kit.tamper(
          """
          drop view api_key;
          drop function away();
          alter table api_key_row rename to api_key
          """);
    }
    as(metrics).get("/q/metrics").then().statusCode(200);
  }

  private HttpResponse<InputStream> send(
      OpenApiDocument document,
      Operation operation,
      SessionId session,
      TaskId task,
      @Nullable String caller)
      throws Exception {
    var sample = new SampleRequests(document, path -> id(path, session, task)).base(operation);
    var body =
        operation.toString().equals("POST /v1/tasks")
            ? ((ObjectNode) Objects.requireNonNull(sample.body()))
                .put("parent_session_id", session.toString())
            : sample.body();
    var request =
        HttpRequest.newBuilder(Http.uri(sample.target()))
            .method(operation.method().toUpperCase(Locale.ROOT), publisher(body))
            .timeout(Duration.ofSeconds(120));
    sample.headers().forEach(request::header);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (caller != null) {
      request.header("Authorization", "Bearer " + caller);
    }
    var answer = http.send(request.build(), BodyHandlers.ofInputStream());
    if (answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream")) {
      answer.body().close();
    }
    return answer;
  }

  private static HttpRequest.BodyPublisher publisher(@Nullable JsonNode body) {
    return body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString());
  }

  private static String id(String path, SessionId session, TaskId task) {
    if (path.startsWith("/v1/agents/")) {
      return "explore";
    }
    if (path.startsWith("/v1/keys/")) {
      return "nokey";
    }
    if (path.startsWith("/v1/deliveries/")) {
      return "dlv_" + "0".repeat(32);
    }
    return path.startsWith("/v1/tasks/") ? task.toString() : session.toString();
  }

  private static String token(SessionId session) {
    return as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of("expires_in_s", 3600))
        .post("/v1/sessions/{id}/tokens", session.toString())
        .then()
        .statusCode(201)
        .extract()
        .path("token");
  }

  private static OpenApiDocument document() throws IOException {
    return new OpenApiDocument(
        JSON.readTree(Http.given().get("/q/openapi?format=json").asString()));
  }
}
