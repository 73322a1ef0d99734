package dev.errand.postgres;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.kit.WebhookReceiver;
import dev.errand.outbox.CallbackSecrets;
import dev.errand.secret.Secrets;
import dev.errand.tenant.KeyRotation;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Secrets of callbacks in the database. */
@QuarkusTest
class SecretsAtRestDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final SecretCipher CURRENT = SecretCipherTest.cipher(TestDatabase.SECRETS_KEY);
  private static final String KEY = CURRENT.currentKey().orElseThrow();
  private static final String FOREIGN_KEY = "Zm9yZWlnbiBrZXkgb2YgYW5vdGhlciBzZXJ2aWNlLi4=";

  @Inject TaskKit kit;
  @Inject CallbackSecrets secrets;
  @Inject KeyRotation rotation;
  @Inject MeterRegistry registry;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    receiver.close();
    kit.tamper("delete from callback");
  }

  @Test
  void registeredSecretIsStoredEncryptedAndSigns() throws Exception {
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));

    kit.awaitDelivery(kit.submit(parent, "dig"));

    WebhookReceiver.verify(receiver.posts().getFirst(), SECRET);
    assertThat(keyOf(parent)).isEqualTo(KEY);
    assertThat(stored(parent)).doesNotContain(SECRET.substring(6));
  }

  @Test
  void secretOfTheCallbackOfATaskIsStoredEncryptedAndEncryptedAgain() throws Exception {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    var callback = Map.of("callback", Map.of("url", receiver.url(), "secret", SECRET));

    var task = kit.submit(parent, "dig", callback);
    WebhookReceiver.verify(receiver.awaitPosts(1).getFirst(), SECRET);
    kit.awaitRest(parent);
    var isOf = "task_id = '" + task.value() + "'";
    assertThat(kit.row("select to_jsonb(callback) from callback where " + isOf, String.class))
        .contains(KEY)
        .doesNotContain(SECRET.substring(6));
    kit.tamper("update callback set secret = ?, key_id = null where " + isOf, SECRET);
    secrets.run(() -> false);

    assertThat(kit.row("select key_id from callback where " + isOf, String.class)).isEqualTo(KEY);
    assertThat(
            CURRENT.decrypt(
                new SecretCipher.StoredSecret(
                    kit.row("select secret from callback where " + isOf, String.class), KEY),
                "callback.secret " + task.value()))
        .isEqualTo(SECRET);
  }

  @Test
  void secretThatAClientHasGivenToAnotherNodeIsMaskedHere() {
    var secret = "whsec_" + "b3RoZXIgbm9kZSBrbm93cyB0aGlzIHNlY3JldA==";
    kit.tamper("update callback set secret = ?, key_id = null where " + isOf(parent()), secret);

    secrets.learn();

    assertThat(Secrets.masked("It is " + secret + ".")).isEqualTo("It is ***.");
  }

  @Test
  void plainSecretsAndThoseOfAnOldKeyAreEncryptedAgainByAllNodesAtOnce() throws Exception {
    var parents = new ArrayList<SessionId>();
    for (int number = 0; number < 4; number++) {
      parents.add(parent());
      store(parents.getLast(), number % 2 == 0 ? null : TestDatabase.OLD_SECRETS_KEY);
    }

    try (var nodes = Executors.newFixedThreadPool(3)) {
      Callable<Object> run = Executors.callable(() -> secrets.run(() -> false));
      for (var done : nodes.invokeAll(List.of(run, run, run))) {
        done.get();
      }
    }

    for (var parent : parents) {
      var text = kit.row("select secret from callback where " + isOf(parent), String.class);
      assertThat(keyOf(parent)).isEqualTo(KEY);
      assertThat(CURRENT.decrypt(new SecretCipher.StoredSecret(text, KEY), place(parent)))
          .isEqualTo(SECRET);
    }
    kit.child("dig", model -> model.says("gold"));
    kit.awaitDelivery(kit.submit(parents.getFirst(), "dig"));
    WebhookReceiver.verify(receiver.posts().getFirst(), SECRET);
  }

  @Test
  void webhookIsNotPostedWhenItsSecretCannotBeDecrypted() {
    var parent = parent();
    store(parent, FOREIGN_KEY);
    var foreign = keyOf(parent);

    secrets.run(() -> false);
    secrets.countUnreadable();
    kit.child("dig", model -> model.says("gold"));
    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    await().until(() -> state(parent).equals("dead"));

    assertThat(keyOf(parent)).as("left as it is").isEqualTo(foreign);
    assertThat(unreadable("callbacks")).isEqualTo(1);
    assertThat(receiver.posts()).isEmpty();
    given()
        .get("/v1/deliveries?task_id={task}", task.id().toString())
        .then()
        .body("items[0].last_error", containsString("the secret cannot be decrypted"))
        .body("items[0].last_error", containsString("the key " + foreign));
    kit.tamper("update outbox set state = 'suppressed' where session_id = ?", parent.value());
  }

  @Test
  void keysOfATenantThatCannotBeDecryptedAreCountedToo() {
    var keys = Map.of("openai", Map.of("api_key", "sk-lost-4711"), "ollama", Map.of());
    rotation.countUnreadable();
    assertThat(unreadable("tenants")).isZero();
    try {
      putDefault(Map.of("models", Map.of("providers", keys)));
      var foreign = SecretCipherTest.cipher(FOREIGN_KEY).currentKey().orElseThrow();
      kit.tamper(
          """
          update tenant set models = jsonb_set(models, '{providers,openai,key_id}', to_jsonb(?::text))
          where id = 'default'
          """,
          foreign);

      rotation.run(() -> false);
      rotation.countUnreadable();

      assertThat(unreadable("tenants")).isEqualTo(1);
      assertThat(kit.row("select models::text from tenant where id = 'default'", String.class))
          .as("left as it is")
          .contains(foreign);
    } finally {
      putDefault(Map.of());
    }
    rotation.countUnreadable();
    assertThat(unreadable("tenants")).isZero();
  }

  private static void putDefault(Map<String, ?> tenant) {
    given()
        .contentType("application/json")
        .body(tenant)
        .put("/v1/tenants/default")
        .then()
        .statusCode(200);
  }

  private double unreadable(String of) {
    return registry.get("errand.secrets.unreadable").tag("of", of).gauge().value();
  }

  @Test
  void repeatedRequestSaysThatTheSecretCannotBeDecrypted() {
    var key = UUID.randomUUID().toString();
    var id = open(key).statusCode(201).extract().<String>path("id");
    store(SessionId.parse(id).orElseThrow(), FOREIGN_KEY);

    open(key)
        .statusCode(503)
        .body("detail", containsString(id))
        .body("detail", containsString("cannot be decrypted"));

    given().get("/v1/sessions/{id}", id).then().body("callback.url", is(receiver.url()));
  }

  private HttpAnswer open(String key) {
    return given()
        .contentType("application/json")
        .header("Idempotency-Key", key)
        .body(Map.of("kind", "external", "callback", Map.of("url", receiver.url())))
        .post("/v1/sessions")
        .then();
  }

  private SessionId parent() {
    return kit.externalSession(Map.of("callback", Map.of("url", receiver.url(), "secret", SECRET)));
  }

  /** Stores the secret as a service with this key does; null for one without a key. */
  private void store(SessionId session, @Nullable String key) {
    var stored = SecretCipherTest.cipher(key).encrypt(SECRET, place(session));
    kit.tamper(
        "update callback set secret = ?, key_id = nullif(?, '') where session_id = ?",
        stored.text(),
        Objects.requireNonNullElse(stored.keyId(), ""),
        session.value());
  }

  private String stored(SessionId session) {
    return kit.row("select to_jsonb(callback) from callback where " + isOf(session), String.class);
  }

  private String keyOf(SessionId session) {
    return Objects.requireNonNullElse(
        kit.row("select key_id from callback where " + isOf(session), String.class), "none");
  }

  private String state(SessionId session) {
    return kit.row("select state from outbox where " + isOf(session), String.class);
  }

  private static String isOf(SessionId session) {
    return "session_id = '" + session.value() + "'";
  }

  private static String place(SessionId session) {
    return "callback.secret " + session.value();
  }
}
