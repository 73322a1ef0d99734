package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.OpenApiDocument.Operation;
import dev.errand.api.SampleRequests.Sample;
import dev.errand.kit.Http;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two tenants send random requests to every route of the OpenAPI document, with ids of their own,
 * of the other one and of nobody. {@code -Dtenants.requests=10000} sends more of them, {@code
 * -Dtenants.seed=…} others.
 */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class TenantsApartDbTest {

  private static final int REQUESTS = Integer.getInteger("tenants.requests", 600);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration LONG = Duration.ofSeconds(120);

  /** Its rows in all tables, with the transactions that wrote them. */
  private static final String ROWS =
      """
      with own as (select id from session where tenant = :tenant)
      select md5(string_agg(text, ',' order by text)) from (
        select r::text || r.xmin as text from session r where tenant = :tenant
        union all select r::text || r.xmin from task r where tenant = :tenant
        union all select r::text || r.xmin from outbox r where tenant = :tenant and state <> 'pending'
        union all select r::text || r.xmin from idempotency_key r where tenant = :tenant
        union all select r::text || r.xmin from session_token r where tenant = :tenant and expires_at > created_at + interval '59 minutes'
        union all select r::text || r.xmin from audit r where tenant = :tenant
        union all select id || role from api_key where tenant = :tenant
        union all select r::text || r.xmin from tree r where root_id in (select id from own)
        union all select r::text || r.xmin from message r where session_id in (select id from own)
        union all select r::text || r.xmin from inbox r where session_id in (select id from own)
        union all select r::text || r.xmin from tool_call r where session_id in (select id from own)
        union all select r::text || r.xmin from event r where session_id in (select id from own)
        union all select r::text || r.xmin from callback r where session_id in (select id from own)) as written (text)
      """;

  private static final String IDS =
      """
      select 'ses_' || replace(id::text, '-', '') from session where tenant = :tenant
      union all select 'task_' || replace(id::text, '-', '') from task where tenant = :tenant
      union all select 'dlv_' || replace(id::text, '-', '') from outbox where tenant = :tenant
      union all select 'aud_' || replace(id::text, '-', '') from audit where tenant = :tenant
      union all select 'evt_' || replace(id::text, '-', '') from event
        where session_id in (select id from session where tenant = :tenant)
      union all select 'msg_' || replace(id::text, '-', '') from message
        where session_id in (select id from session where tenant = :tenant)
      """;

  /** A notice to an external session may follow the end of its task by a moment. */
  private static final String BUSY =
      """
      select exists (select 1 from session where tenant = :tenant and state in ('queued', 'running', 'waiting'))
        or exists (select 1 from task where tenant = :tenant and state in ('pending', 'running'))
        or exists (select 1 from outbox join session on session.id = session_id
                   where outbox.tenant = :tenant and outbox.state = 'pending'
                     and (target <> 'session' or session.kind = 'hosted' or available_at < now() + interval '1 minute'))
      """;

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;

  private final Random random = new Random(Long.getLong("tenants.seed", 27));
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final WebhookReceiver receiver = new WebhookReceiver();
  private final List<String> faults = new ArrayList<>();
  private final Map<String, Set<Integer>> statuses = new HashMap<>();
  private final Map<Operation, List<Sample>> samples = new LinkedHashMap<>();

  /** Ids that a tenant has sent in texts of its own, which are shown to it again. */
  private final Set<String> told = new HashSet<>();

  private int sent;

  /**
   * A tenant.
   *
   * @param name in all its texts, and in no text of another tenant
   * @param callers keys, and a session token
   * @param ids of its rows, by their prefixes
   */
  private record Side(String name, List<String> callers, Map<String, List<String>> ids) {}

  private record Answer(int status, String text) {}

  @BeforeEach
  void begin() {
    kit.begin();
    kit.children(prompt -> new Script().saysForever(prompt + ": found"));
    receiver.answers(WebhookReceiver.status(410));
  }

  @AfterEach
  void close() {
    WithAuthentication.actAsNobody();
    receiver.close();
    http.shutdownNow();
  }

  @Test
  void noRequestFindsOrChangesWhatIsOfAnotherTenant() throws Exception {
    var document = document();
    for (var operation : document.operations()) {
      samples.put(operation, new SampleRequests(document, _ -> "?").of(operation));
    }
    var one = tenant("canary-" + Long.toHexString(random.nextLong()));
    var other = tenant("finch-" + Long.toHexString(random.nextLong()));

    act(one, other, REQUESTS * 2 / 5);
    act(other, one, REQUESTS * 2 / 5);
    while (sent < REQUESTS) {
      act(one, other);
      act(other, one);
    }

    assertThat(faults).as("of %d requests", sent).isEmpty();
    assertThat(statuses).hasSameSizeAs(samples);
    assertThat(statuses.values().stream().filter(all -> all.stream().anyMatch(s -> s < 300)))
        .as("routes that were used with success: %s", statuses)
        .hasSizeGreaterThan(samples.size() * 3 / 5);
    for (var side : List.of(one, other)) {
      awaitRest(side);
      await().atMost(LONG).untilAsserted(() -> assertThat(counted(side)).isEqualTo(rows(side)));
    }
  }

  /** An administrator manages tenants and keys; it sees no rows of others, only their figures. */
  @Test
  void administratorSeesTheFiguresOfATenantAndNothingElse() throws Exception {
    var tenant = tenant("wren-" + Long.toHexString(random.nextLong()));

    for (var id : of(tenant, "ses_")) {
      as(ADMIN_KEY).get("/v1/sessions/{id}", id).then().statusCode(404);
    }
    for (var list : List.of("sessions", "tasks", "deliveries")) {
      assertThat(as(ADMIN_KEY).get("/v1/{list}?limit=200", list).asString())
          .doesNotContain(tenant.name());
    }
    await()
        .atMost(LONG)
        .untilAsserted(() -> {
          var stats = as(ADMIN_KEY).get("/v1/stats?tenant={name}", tenant.name());
          assertThat(stats.statusCode()).isEqualTo(200);
          assertThat(stats.<Map<String, Integer>>path("tasks")).isEqualTo(rows(tenant));
        });
    as(ADMIN_KEY).get("/v1/stats?tenant=nobody").then().statusCode(404);
    var operator = tenant.callers().getFirst();
    as(operator).get("/v1/stats?tenant=default").then().statusCode(404);
    as(operator)
        .get("/v1/stats?tenant={name}", tenant.name())
        .then()
        .statusCode(200)
        .body("jobs", nullValue());
    as(operator).get("/q/metrics").then().statusCode(403);
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of("name", "a key", "role", "admin", "tenant", tenant.name()))
        .post("/v1/keys")
        .then()
        .statusCode(400);
  }

  /** While one acts, no row of the other changes. */
  private void act(Side one, Side other, int requests) throws Exception {
    awaitRest(other);
    var before = query(ROWS, other);
    var until = sent + requests;
    while (sent < until) {
      act(one, other);
    }
    if (!before.equals(query(ROWS, other))) {
      faults.add(one.name() + " has changed rows of " + other.name());
    }
    awaitRest(one);
  }

  private void act(Side one, Side other) throws Exception {
    var operation = pick(List.copyOf(samples.keySet()));
    var all = Objects.requireNonNull(samples.get(operation));
    var sample = random.nextBoolean() ? all.getFirst() : pick(all);
    var caller = pick(one.callers());
    var foreign = new HashMap<String, String>();
    var request = filled(sample, one, other, foreign);
    var answer = send(request, caller);
    var leaked = leaked(answer, other, foreign.keySet());
    if (leaked != null) {
      faults.add(request + " shows " + leaked + ": " + answer);
    }
    if (!foreign.isEmpty()) {
      var twin = send(replaced(request, foreign), caller);
      if (!alike(operation, answer, twin)) {
        faults.add(request + " is answered with " + answer + ", and for an unknown id " + twin);
      }
    }
  }

  private static boolean alike(Operation operation, Answer one, Answer other) {
    var isAccepted =
        one.status() < 300 && other.status() < 300 && !operation.method().equals("get");
    return isAccepted
        || (one.status() == other.status()
            && withoutIds(one.text()).equals(withoutIds(other.text())));
  }

  private static String withoutIds(String text) {
    return text.replaceAll("[0-9a-f]{32}", "id").replaceAll("\"counted_at\":\"[^\"]*\"", "");
  }

  private @Nullable String leaked(Answer answer, Side other, Set<String> asked) {
    if (answer.text().contains(other.name())) {
      return other.name();
    }
    return other.ids().values().stream()
        .flatMap(List::stream)
        .filter(id -> !asked.contains(id) && !told.contains(id))
        .filter(id -> answer.text().contains(id.substring(id.indexOf('_') + 1)))
        .findFirst()
        .orElse(null);
  }

  /**
   * The sample with ids in its path, its query and its body.
   *
   * @param foreign gets the ids of the other tenant that it has, each with an unknown one
   */
  private Sample filled(Sample sample, Side one, Side other, Map<String, String> foreign) {
    var operation = sample.operation();
    var path = new LinkedHashMap<>(sample.path());
    path.replaceAll((name, value) ->
        switch (name) {
          case "id" ->
              value.equals("?") || random.nextBoolean()
                  ? id(prefix(operation), one, other, foreign, operation.method().equals("delete"))
                  : value;
          case "call_id" -> "call-1";
          default -> value.equals("?") ? "explore" : value;
        });
    var query = new LinkedHashMap<>(sample.query());
    query.replaceAll((name, value) -> name.equals("wait_ms") ? "20" : value);
    for (var parameter : operation.parameters()) {
      var name = parameter.get("name").asText();
      if (parameter.get("in").asText().equals("query")
          && name.endsWith("_id")
          && random.nextInt(3) == 0) {
        query.put(name, id(prefix(name), one, other, foreign, false));
      }
    }
    var body = sample.body() instanceof ObjectNode object ? object.deepCopy() : sample.body();
    if (body instanceof ObjectNode fields) {
      fields.remove(List.of("callback", "isolation", "timeout_ms"));
      fill(operation, fields, one, other, foreign);
    }
    return new Sample(operation, path, query, sample.headers(), body, sample.allowed());
  }

  private void fill(
      Operation operation, ObjectNode body, Side one, Side other, Map<String, String> foreign) {
    switch (operation.toString()) {
      case "POST /v1/tasks" -> {
        body.put("parent_session_id", id("ses_", one, other, foreign, false));
        if (random.nextInt(3) == 0) {
          body.put("session_id", id(pick(List.of("ses_", "task_")), one, other, foreign, false));
        }
      }
      case "POST /v1/sessions/{id}/tool-calls" -> {
        var call = "call-" + UUID.randomUUID();
        body.put("call_id", call);
        body.put("name", pick(List.of("task_output", "task_cancel", "task_list")));
        body.putObject("arguments").put("task_id", id("task_", one, other, foreign, false));
        told.addAll(foreign.keySet());
        if (!foreign.isEmpty()) {
          foreign.put(call, "call-" + UUID.randomUUID());
        }
      }
      case "POST /v1/sessions/{id}/commands" -> {
        var quoted = id("ses_", one, other, foreign, false);
        told.add(quoted);
        body.put("command", "task:skill:enhance --background --prompt " + quoted);
      }
      case "POST /v1/pauses" -> body.put("scope", "tenant").put("name", other.name());
      default -> {}
    }
  }

  private String id(
      String prefix, Side one, Side other, Map<String, String> foreign, boolean isDeleted) {
    var unknown = prefix + UUID.randomUUID().toString().replace("-", "");
    var whose = random.nextInt(5);
    if (whose < 2 && !of(other, prefix).isEmpty()) {
      var id = pick(of(other, prefix));
      foreign.put(id, unknown);
      return id;
    }
    return whose < 4 && !isDeleted && !of(one, prefix).isEmpty() ? pick(of(one, prefix)) : unknown;
  }

  private static Sample replaced(Sample sample, Map<String, String> ids) {
    return new Sample(
        sample.operation(),
        replaced(sample.path(), ids),
        replaced(sample.query(), ids),
        sample.headers(),
        sample.body() == null ? null : body(replaced(sample.body().toString(), ids)),
        sample.allowed());
  }

  private static JsonNode body(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static Map<String, String> replaced(Map<String, String> values, Map<String, String> ids) {
    return values.entrySet().stream()
        .collect(toMap(Map.Entry::getKey, value -> replaced(value.getValue(), ids)));
  }

  private static String replaced(String text, Map<String, String> ids) {
    var result = text;
    for (var id : ids.entrySet()) {
      result = result.replace(id.getKey(), id.getValue());
    }
    return result;
  }

  private static String prefix(Operation operation) {
    var path = operation.path();
    return path.startsWith("/v1/tasks") ? "task_" : path.startsWith("/v1/del") ? "dlv_" : "ses_";
  }

  private static String prefix(String name) {
    return name.equals("task_id") ? "task_" : "ses_";
  }

  private Answer send(Sample sample, String caller) throws Exception {
    sent++;
    var request =
        HttpRequest.newBuilder(Http.uri(sample.target()))
            .method(
                sample.operation().method().toUpperCase(Locale.ROOT),
                sample.body() == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(sample.body().toString()))
            .header("Authorization", "Bearer " + caller)
            .timeout(LONG);
    sample.headers().forEach(request::header);
    if (sample.body() != null) {
      request.header("Content-Type", "application/json");
    }
    var answer = http.send(request.build(), BodyHandlers.ofInputStream());
    statuses
        .computeIfAbsent(sample.operation().toString(), _ -> new HashSet<>())
        .add(answer.statusCode());
    var isStream =
        answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    try (var body = answer.body()) {
      var bytes = isStream ? body.readNBytes(200) : body.readAllBytes();
      var location = answer.headers().firstValue("Location").orElse("");
      return new Answer(
          answer.statusCode(), location + " " + new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** A tenant with sessions, a task whose delivery is dead, a tool call, keys and a token. */
  private Side tenant(String name) {
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of())
        .put("/v1/tenants/{id}", name)
        .then()
        .statusCode(201);
    var operator = key("operator", Map.of("tenant", name));
    WithAuthentication.actAs(operator);
    var hosted =
        kit.session(
            Map.of("title", name, "metadata", Map.of("team", name)),
            model -> model.saysForever(name + " says so"));
    kit.say(hosted, name + " asks");
    var external =
        kit.externalSession(Map.of("title", name, "callback", Map.of("url", receiver.url())));
    kit.submit(external, name + " digs", Map.of("label", name));
    kit.submit(kit.externalSession(Map.of("title", name)), name + " digs, too");
    Http.given()
        .contentType("application/json")
        .body(Map.of("call_id", "call-1", "name", "task_list", "arguments", Map.of()))
        .post("/v1/sessions/{id}/tool-calls", external.toString())
        .then()
        .statusCode(200);
    var token =
        Http.given()
            .contentType("application/json")
            .body(Map.of("expires_in_s", 3600))
            .post("/v1/sessions/{id}/tokens", external.toString())
            .<String>path("token");
    var side =
        new Side(
            name,
            List.of(
                operator,
                operator,
                token,
                key("agent", Map.of("tenant", name)),
                key("viewer", Map.of("tenant", name))),
            new HashMap<>());
    awaitRest(side);
    return side;
  }

  /** Waits until nothing of a tenant changes any more, and reads its ids. */
  private void awaitRest(Side side) {
    await().atMost(LONG).until(() -> !query(BUSY, side).equals("t"));
    side.ids().clear();
    jdbi.useHandle(handle ->
        handle
            .createQuery(IDS)
            .bind("tenant", side.name())
            .mapTo(String.class)
            .forEach(id ->
                side.ids()
                    .computeIfAbsent(id.substring(0, id.indexOf('_') + 1), _ -> new ArrayList<>())
                    .add(id)));
  }

  private String query(String sql, Side side) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("tenant", side.name()).mapTo(String.class).one());
  }

  private static List<String> of(Side side, String prefix) {
    return side.ids().getOrDefault(prefix, List.of());
  }

  private static Map<String, Integer> counted(Side side) {
    return as(side.callers().getFirst()).get("/v1/stats").path("tasks");
  }

  private Map<String, Integer> rows(Side side) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select state, count(*) from task where tenant = :tenant group by state")
            .bind("tenant", side.name())
            .reduceRows(
                new HashMap<String, Integer>(),
                (counts, row) -> {
                  counts.put(row.getColumn(1, String.class), row.getColumn(2, Integer.class));
                  return counts;
                }));
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static OpenApiDocument document() throws IOException {
    return new OpenApiDocument(
        JSON.readTree(Http.given().get("/q/openapi?format=json").asString()));
  }
}
