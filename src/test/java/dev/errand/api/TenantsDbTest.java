package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.ISSUER;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Script;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.Tables;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.kit.WithAuthentication;
import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.postgres.SecretCipherTest;
import dev.errand.secret.SecretLogFilter;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import dev.errand.tenant.KeyRotation;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.Tenants;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What administrators give to tenants. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class TenantsDbTest {

  private static final String SECRET = "sk-tenant-5f0c2b7e9a4d";
  private static final String URL = "http://127.0.0.1:9/v1";

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject Tenants tenants;
  @Inject KeyRotation rotation;
  @Inject @Any Instance<HintListener> listeners;

  private final String id = "t-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @AfterEach
  void end() {
    WithAuthentication.actAsNobody();
  }

  /** The database goes away after the commit of the tenant, before the node reads it. */
  @Test
  void tenantThatIsCommittedIsAcceptedAndInEffect() {
    kit.tamper(
        """
        alter table tenant rename to tenant_row;
        create function reachable() returns boolean language plpgsql as $$
          begin
            if exists (select from tenant_row where weight = 77) then
              raise exception 'away' using errcode = '57P01';
            end if;
            return true;
          end $$;
        create view tenant as select * from tenant_row where reachable()
        """);
    try {
      put(Map.of("weight", 77)).statusCode(201).body("weight", equalTo(77));
    } finally {
      kit.tamper(
          """
          drop view tenant;
          drop function reachable();
          alter table tenant_row rename to tenant
          """);
    }
    await().until(() -> tenants.find(id).isPresent());
    assertThat(tenants.of(id).weight()).isEqualTo(77);
    get(id).body("weight", equalTo(77));
    put(Map.of()).statusCode(200);
  }

  @Test
  void tenantIsCreatedAndReplacedAsAWhole() {
    get("default").body("weight", equalTo(1)).body("max_pending_tasks", nullValue());
    as(ADMIN_KEY).get("/v1/tenants/{id}", id).then().statusCode(404);

    put(Map.of("weight", 3, "max_pending_tasks", 0, "cost_per_day", 12.5))
        .statusCode(201)
        .header("Location", containsString("/v1/tenants/" + id))
        .body("cost_per_day", equalTo(12.5));
    assertThat(tenants.of(id).costPerDayMicros()).isEqualTo(12_500_000);
    assertThat(tenants.of(id).maxPendingTasks()).isZero();
    put(Map.of("tokens_per_day", 7)).statusCode(200).body("weight", equalTo(1));

    get(id).body("tokens_per_day", equalTo(7)).body("max_pending_tasks", nullValue());
    as(ADMIN_KEY).get("/v1/tenants").then().body("items.id", hasItems("default", id));
    assertThat(audit()).containsExactly("tenant.update", "tenant.create");
  }

  @Test
  void changeOfAnotherNodeIsNoticedWithoutAHint() {
    put(Map.of()).statusCode(201);

    kit.tamper("update tenant set weight = 9, changed_at = clock_timestamp() where id = ?", id);

    await().until(() -> tenants.of(id).weight() == 9);
  }

  @Test
  void keyIsStoredEncryptedAndShownToNobody() {
    put(openai(SECRET, URL)).statusCode(201);

    var access = tenants.of(id).models().of("openai");
    assertThat(access).contains(new ProviderCredentials(SECRET, URI.create(URL), null));
    assertThat(access.orElseThrow().toString()).doesNotContain(SECRET);
    assertThat(get(id).body("models.providers.openai.api_key", equalTo("***")).extract().asString())
        .contains(URL)
        .doesNotContain(SECRET);
    var stored =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    "select tenant::text || (select string_agg(details::text, '') from audit where target = :id) from tenant where id = :id")
                .bind("id", id)
                .mapTo(String.class)
                .one());
    assertThat(stored).contains("api_key", "***").doesNotContain(SECRET);
  }

  /** The model and its faults repeat the key, also encoded; agents and administrators type it. */
  @Test
  void ownCredentialsAreUsedOnTheWireAndAppearNowhere() throws Exception {
    var words = String.join(" ", forms());
    try (var log = new LogLines();
        var endpoint = StubEndpoint.start(new OpenAiStub(), call -> answer(call, words))) {
      var url = Objects.requireNonNull(endpoint.environment().get("OPENAI_BASE_URL"));
      var texts = new StringBuilder(put(openai(SECRET, url)).statusCode(201).extract().asString());
      texts.append(put(openai(SECRET, "ftp://" + SECRET)).statusCode(400).extract().asString());
      var key = key("operator", Map.of("tenant", id));
      WithAuthentication.actAs(key);
      var session = kit.sessionOf("openai:gpt-test");

      kit.say(session, "Which key do you use? " + words);
      kit.awaitState(session, SessionState.IDLE);
      await().until(() -> as(key).get(messages(session)).asString().contains("your key is ***"));
      kit.say(session, "Now be refused.");
      await().until(() -> as(key).get(messages(session)).asString().contains("no such key: ***"));
      texts.append(
          submit(
                  key,
                  session.toString(),
                  Map.of("prompt", words, "background", false, "model", "openai:gpt-test"))
              .extract()
              .asString());
      texts.append(
          submit(key, session.toString(), Map.of("model", "nobody:" + words))
              .statusCode(400)
              .extract()
              .asString());

      texts.append(events(session, key));
      for (var path :
          List.of(session(session), messages(session), "/v1/sessions", "/v1/tasks", "/v1/stats")) {
        texts.append(as(key).get(path).asString());
      }
      for (var path : List.of("/v1/deliveries", "/v1/audit", "/v1/sessions?q=key")) {
        texts.append(as(key).get(path).asString());
      }
      for (var path :
          List.of(
              "/v1/tenants",
              "/v1/tenants/" + id,
              "/v1/stats?tenant=" + id,
              "/v1/audit",
              "/q/metrics")) {
        texts.append(as(ADMIN_KEY).get(path).asString());
      }

      assertThat(endpoint.headers("Authorization")).isNotEmpty().containsOnly("Bearer " + SECRET);
      assertThat(texts).contains("your key is ***", "no such key: ***", "model_unauthorized");
      assertThat(log.text()).contains("Run begins", "Authorization: Bearer ***");
      for (var form : forms()) {
        assertThat(texts).doesNotContain(form);
        assertThat(log.text()).doesNotContain(form);
        assertThat(new Tables(jdbi).with(form)).isEmpty();
      }
    }
  }

  private static Answer answer(StubEndpoint.ModelCall call, String words) {
    if (call.last().text().startsWith("Which key")) {
      return Answer.says("your key is " + words);
    }
    throw new StubEndpoint.ErrorStatus(
        401, "{\"error\": {\"message\": \"no such key: %s\"}}".formatted(words));
  }

  private String events(SessionId session, String key) throws InterruptedException {
    var uri = Http.uri(session(session) + "/events?tree=true");
    try (var client = EventClient.follow(uri, key)) {
      await().until(() -> client.types().contains("subagent.failed"));
      return client.received().toString();
    }
  }

  /** The texts by which the key would be found, wherever it is part of a longer text. */
  private static List<String> forms() {
    var hex = HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.UTF_8));
    return List.of(SECRET, hex, base64("", 0), base64("a", 2), base64("ab", 3));
  }

  /** The characters of the encoded text that do not depend on what is before or after the key. */
  private static String base64(String before, int first) {
    var text = (before + SECRET).getBytes(StandardCharsets.UTF_8);
    return Base64.getEncoder().encodeToString(text).substring(first, text.length * 8 / 6);
  }

  /** The lines that the service and its HTTP clients log at all levels, as they are written. */
  private static final class LogLines extends Handler implements AutoCloseable {

    private static final List<Logger> LOGGERS =
        Stream.of("dev.errand", "org.apache.hc").map(Logger::getLogger).toList();

    private final PatternFormatter format = new PatternFormatter("%-5p [%c] %X %m%e%n");
    private final StringBuffer lines = new StringBuffer();

    LogLines() {
      setFilter(new SecretLogFilter());
      LOGGERS.forEach(logger -> {
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
      });
    }

    String text() {
      return lines.toString();
    }

    @Override
    public void publish(LogRecord record) {
      if (isLoggable(record)) {
        lines.append(format.format(ExtLogRecord.wrap(record)));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      LOGGERS.forEach(logger -> {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
        logger.setLevel(null);
      });
    }
  }

  private static String session(SessionId session) {
    return "/v1/sessions/" + session;
  }

  private static String messages(SessionId session) {
    return session(session) + "/messages";
  }

  @Test
  void keyOfTheServiceIsNotSentToTheAddressOfATenant() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("fine"))) {
      var url = endpoint.environment().get("OPENAI_BASE_URL");
      put(providers(Map.of("openai", Map.of("base_url", url)))).statusCode(201);
      WithAuthentication.actAs(key("agent", Map.of("tenant", id)));
      var session = kit.sessionOf("openai:gpt-test");

      kit.say(session, "Hello.");
      await().until(() -> !endpoint.calls().isEmpty());
      kit.awaitState(session, SessionState.IDLE);

      assertThat(endpoint.headers("Authorization")).noneMatch(sent -> sent.contains("sk-"));
    }
  }

  @Test
  void modelsThatTheTenantMayNotCallAreRefused() {
    put(Map.of("models", Map.of("own_only", true, "allowed", List.of("scripted:ch*", "openai:*"))))
        .statusCode(201);
    var agent = key("agent", Map.of("tenant", id));

    openSession(agent, "openai:gpt-5")
        .statusCode(400)
        .body("errors[0].field", equalTo("model"))
        .body("errors[0].message", containsString("own_only"));
    openSession(agent, "scripted:other")
        .statusCode(400)
        .body("errors[0].field", equalTo("model"))
        .body("errors[0].message", containsString("scripted:ch*, openai:*"));
    var parent = openSession(agent, "scripted:children").statusCode(201).extract().path("id");
    submit(agent, parent, Map.of("model", "scripted:other"))
        .statusCode(400)
        .body("errors[0].field", equalTo("model"));

    put(Map.of("models", Map.of("allowed", List.of()))).statusCode(200);
    submit(agent, parent, Map.of()).statusCode(400);
  }

  @Test
  void modelThatIsTakenAwayIsNotCalledAnyMore() {
    put(Map.of()).statusCode(201);
    WithAuthentication.actAs(key("agent", Map.of("tenant", id)));
    var session = kit.session(model -> model.says("first"));
    kit.say(session, "Hello.");
    kit.awaitState(session, SessionState.IDLE);

    put(Map.of("models", Map.of("allowed", List.of("openai:*")))).statusCode(200);
    kit.say(session, "Again.");

    await()
        .until(() ->
            "model_not_configured"
                .equals(
                    kit.row(
                        "select error_code from session where id = '" + session.value() + "'",
                        String.class)));
  }

  @Test
  void quotaIsNamedAndTheTaskMayBeSubmittedLater() {
    put(Map.of("max_pending_tasks", 0)).statusCode(201);
    var agent = key("agent", Map.of("tenant", id));
    var parent = openSession(agent, "scripted:children").statusCode(201).extract().path("id");
    kit.children(_ -> new Script().saysForever("found"));

    quotaOf(submit(agent, parent, Map.of()), "max_pending_tasks");

    put(Map.of("delegations_per_hour", 2)).statusCode(200);
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into tenant_hour select ?, date_trunc('hour', now() + n * interval '1 hour', 'UTC'), 0, 1 from generate_series(0, 1) n",
            id));
    var accepted = 0;
    var last = submit(agent, parent, Map.of());
    while (last.extract().statusCode() == 202) {
      accepted++;
      last = submit(agent, parent, Map.of());
    }
    assertThat(quotaOf(last, "delegations_per_hour")).isBetween(1, 3600);
    assertThat(accepted).as("2 when the hour ends in between").isBetween(1, 2);
    assertThat(
            kit.row(
                "select sum(delegations) from tenant_hour where tenant = '" + id + "'",
                Integer.class))
        .as("a refused task is not counted")
        .isEqualTo(2 + accepted);
    WithAuthentication.actAs(agent);
    put(Map.of("delegations_per_hour", 0)).statusCode(200);
    var hosted = kit.session(model -> model.callsTask("dig").thenSays("alone then"));
    kit.say(hosted, "Do it.");
    kit.awaitRest(hosted);
    assertThat(kit.toolResults(hosted).getFirst().text())
        .startsWith("Not delegated: the 0 delegations of this hour")
        .contains("delegations_per_hour");
    put(Map.of()).statusCode(200);
    submit(agent, parent, Map.of()).statusCode(202);
  }

  private static int quotaOf(HttpAnswer refused, String name) {
    return Integer.parseInt(
        refused
            .statusCode(429)
            .body("type", equalTo("https://errand.dev/problems/quota"))
            .body("quota", equalTo(name))
            .body("errors[0].message", containsString(name))
            .extract()
            .header("Retry-After"));
  }

  private static HttpAnswer openSession(String key, String model) {
    return as(key)
        .contentType("application/json")
        .body(Map.of("model", model))
        .post("/v1/sessions")
        .then();
  }

  private static HttpAnswer submit(String key, Object parent, Map<String, ?> more) {
    var body =
        new HashMap<String, Object>(
            Map.of("description", "a task", "prompt", "dig", "background", true));
    body.put("parent_session_id", parent);
    body.putAll(more);
    return as(key).contentType("application/json").body(body).post("/v1/tasks").then();
  }

  @Test
  void keyOfAnOldKeyOfTheServiceIsEncryptedAgain() {
    put(openai(SECRET, URL)).statusCode(201);
    var old = SecretCipherTest.cipher(TestDatabase.OLD_SECRETS_KEY);
    var sealed = old.encrypt(SECRET, "tenant.models " + id + " openai");
    kit.tamper(
        """
        update tenant set models = jsonb_set(jsonb_set(models, '{providers,openai,api_key}', to_jsonb(?::text)),
          '{providers,openai,key_id}', to_jsonb(?::text)) where id = ?
        """,
        sealed.text(),
        old.currentKey().orElseThrow(),
        id);
    tenants.changed();
    assertThat(tenants.of(id).models().of("openai").orElseThrow().apiKey()).isEqualTo(SECRET);

    rotation.run(() -> false);

    assertThat(kit.row("select models::text from tenant where id = '" + id + "'", String.class))
        .doesNotContain(sealed.text(), old.currentKey().orElseThrow());
    tenants.changed();
    assertThat(tenants.of(id).models().of("openai").orElseThrow().apiKey()).isEqualTo(SECRET);
  }

  @Test
  void storedKeyIsKeptOnRequestForItsAddressOnly() {
    put(openai("***", URL)).statusCode(400).body("errors[0].message", containsString("no stored"));
    assertThat(tenants.find(id)).isEmpty();
    put(openai(SECRET, URL)).statusCode(201);

    put(openai("***", URL)).statusCode(200);
    assertThat(tenants.of(id).models().of("openai").orElseThrow().apiKey()).isEqualTo(SECRET);
    put(openai("***", "http://127.0.0.1:10/v1"))
        .statusCode(400)
        .body("errors[0].field", equalTo("models.providers.openai.api_key"))
        .body("errors[0].message", containsString("give the key again"));
    put(providers(Map.of("openai", Map.of("base_url", URL))))
        .statusCode(200)
        .body("models.providers.openai.api_key", nullValue());
    assertThat(tenants.of(id).models().of("openai").orElseThrow().hasKey()).isFalse();
  }

  @Test
  void wrongFieldIsNamed() {
    refused(Map.of("weight", 0), "weight");
    refused(Map.of("max_pending_tasks", -1), "max_pending_tasks");
    refused(Map.of("cost_per_day", 0.0000001), "cost_per_day");
    refused(Map.of("models", Map.of("allowed", List.of("a*b"))), "models.allowed[0]");
    refused(
        Map.of("models", Map.of("providers", Map.of("acme", Map.of()))), "models.providers.acme");
    for (var url : List.of("ftp://127.0.0.1/", "http://169.254.169.254/v1", "http://u:p@host/")) {
      refused(openai(SECRET, url), "models.providers.openai.base_url");
    }
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of())
        .put("/v1/tenants/{id}", "Acme")
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("id"));
  }

  @Test
  void callerBelongsToAnExistingTenant() {
    var body = Map.of("name", "a key", "role", "agent", "tenant", id);
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(body)
        .post("/v1/keys")
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("tenant"));
    var token = ISSUER.token("ann", Map.of("roles", List.of("agent"), "tenant", id));
    as(token).get("/v1/sessions").then().statusCode(403);

    put(Map.of()).statusCode(201);

    as(key("agent", Map.of("tenant", id))).get("/v1/sessions").then().statusCode(200);
    as(token).get("/v1/sessions").then().statusCode(200);
  }

  /** A task may take its parent's room only when it begins: the more urgent one has it first. */
  @Test
  void limitOfTheParentAppliesAlsoToTasksThatWaitForTheirTenant() {
    put(Map.of("max_concurrent_runs", 2)).statusCode(201);
    WithAuthentication.actAs(key("agent", Map.of("tenant", id)));
    var outer = new Gate();
    var inner = new Gate();
    kit.child("one", model -> model.at(outer).says("1"));
    kit.child("two", model -> model.at(outer).says("2"));
    kit.child("late", model -> model.says("3"));
    kit.child("urgent", model -> model.at(inner).says("4"));
    kit.submit(kit.externalSession(), "one");
    kit.submit(kit.externalSession(), "two");
    outer.awaitArrivals(2);
    readSlots();
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var late = kit.submit(parent, "late");
    var urgent = kit.submit(parent, "urgent", Map.of("priority", 1));
    await().until(() -> waitingForSlots(parent) == 2);

    outer.open();
    inner.awaitArrivals(1);
    await().until(() -> waitingForSlots(parent) == 0);

    assertThat(kit.look(late).state()).isEqualTo(TaskState.PENDING);
    inner.open();
    kit.awaitEnd(urgent);
    kit.awaitEnd(late);
  }

  /** Numbers that were read before a run began may let one run too many begin for a second. */
  private void readSlots() {
    listeners.stream()
        .filter(listener -> listener.topic() == Topic.WAITS)
        .forEach(HintListener::hinted);
  }

  private int waitingForSlots(SessionId parent) {
    return kit.row(
        "select count(*) from session where waits_for = 'slot' and parent_id = '%s'"
            .formatted(parent.value()),
        Integer.class);
  }

  private void refused(Map<String, ?> body, String field) {
    put(body).statusCode(400).body("errors[0].field", equalTo(field));
  }

  private HttpAnswer put(Map<String, ?> body) {
    return as(ADMIN_KEY)
        .contentType("application/json")
        .body(body)
        .put("/v1/tenants/{id}", id)
        .then();
  }

  private static HttpAnswer get(String tenant) {
    return as(ADMIN_KEY).get("/v1/tenants/{id}", tenant).then().statusCode(200);
  }

  private static Map<String, ?> openai(String key, String url) {
    return providers(Map.of("openai", Map.of("api_key", key, "base_url", url)));
  }

  private static Map<String, ?> providers(Map<String, ?> providers) {
    return Map.of("models", Map.of("providers", providers));
  }

  private List<String> audit() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select action from audit where target = ? order by id desc")
            .bind(0, id)
            .mapTo(String.class)
            .list());
  }
}
