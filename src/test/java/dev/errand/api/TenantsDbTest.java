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

import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import dev.errand.tenant.TenantModels.Access;
import dev.errand.tenant.Tenants;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
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

  private final String id = "t-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @Test
  void tenantIsCreatedAndReplacedAsAWhole() {
    get("default").body("weight", equalTo(1)).body("max_pending_tasks", nullValue());
    as(ADMIN_KEY).get("/v1/tenants/{id}", id).then().statusCode(404);

    put(Map.of("weight", 3, "max_pending_tasks", 0, "cost_per_day", 12.5))
        .statusCode(201)
        .header("Location", containsString("/v1/tenants/" + id))
        .body("cost_per_day", equalTo(12.5f));
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
    assertThat(access).contains(new Access(SECRET, URI.create(URL), null));
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
    put(Map.of("models", Map.of("providers", Map.of("openai", Map.of("base_url", URL)))))
        .statusCode(200)
        .body("models.providers.openai.api_key", nullValue());
    assertThat(tenants.of(id).models().of("openai").orElseThrow().hasKey()).isFalse();
  }

  @Test
  void wrongFieldIsNamed() {
    refused(Map.of("weight", 0), "weight");
    refused(Map.of("max_pending_tasks", -1), "max_pending_tasks");
    refused(Map.of("cost_per_day", 0.0000001), "cost_per_day");
    refused(Map.of("models", Map.of("allowed", List.of("a*b"))), "models.allowed");
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

  private void refused(Map<String, ?> body, String field) {
    put(body).statusCode(400).body("errors[0].field", containsString(field));
  }

  private ValidatableResponse put(Map<String, ?> body) {
    return as(ADMIN_KEY)
        .contentType("application/json")
        .body(body)
        .put("/v1/tenants/{id}", id)
        .then();
  }

  private static ValidatableResponse get(String tenant) {
    return as(ADMIN_KEY).get("/v1/tenants/{id}", tenant).then().statusCode(200);
  }

  private static Map<String, ?> openai(String key, String url) {
    var access = new HashMap<>(Map.of("api_key", key, "base_url", url));
    return Map.of("models", Map.of("providers", Map.of("openai", access)));
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
