package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.ISSUER;
import static dev.errand.kit.WithAuthentication.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.EventClient;
import dev.errand.kit.Http;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TokenIssuer;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tokens of an identity provider. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class OidcDbTest {

  private static final Map<String, ?> AGENT =
      Map.of("roles", List.of("agent", "something-else"), "tenant", "default");

  @Inject TaskKit kit;

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @AfterEach
  void end() {
    WithAuthentication.actAsNobody();
  }

  @Test
  void tokenHasTheRoleOfItsClaimAndOwnsWhatItOpens() {
    WithAuthentication.actAs(ISSUER.token("ann", AGENT));
    var session = kit.externalSession();

    as(ISSUER.token("ann", AGENT)).get("/v1/sessions/" + session).then().statusCode(200);
    as(ISSUER.token("bob", AGENT)).get("/v1/sessions/" + session).then().statusCode(404);
    as(ISSUER.token("ann", AGENT)).get("/v1/keys").then().statusCode(403);
    as(ISSUER.token("eve", with("roles", List.of("viewer", "admin"))))
        .get("/v1/keys")
        .then()
        .statusCode(200);
    var audit = as(ADMIN_KEY).get("/v1/audit?subject=oidc:ann&session_id={id}", session.toString());
    assertThat(audit.<List<String>>path("items.action")).containsExactly("session.create");
  }

  @Test
  void tokenThatIsNotValidIsRefused() {
    var now = Instant.now().getEpochSecond();
    var stranger = TokenIssuer.keys().getPrivate();
    var own = ISSUER.key();
    var invalid =
        Map.of(
            "issuer", ISSUER.token("ann", with("iss", "http://127.0.0.1:1")),
            "audience", ISSUER.token("ann", with("aud", "another service")),
            "expired", ISSUER.token("ann", with("exp", now - 60)),
            "not yet", ISSUER.token("ann", with("nbf", now + 600)),
            "no algorithm", ISSUER.token(own, Map.of("alg", "none"), "ann", AGENT),
            "public key as secret", ISSUER.token(own, Map.of("alg", "HS256"), "ann", AGENT),
            "other key", ISSUER.token(stranger, Map.of(), "ann", AGENT),
            "unknown key id", ISSUER.token(stranger, Map.of("kid", "../../k2"), "ann", AGENT),
            "own key set",
                ISSUER.token(stranger, Map.of("jku", "http://127.0.0.1:1"), "ann", AGENT));

    invalid.forEach((why, token) ->
        assertThat(as(token).get("/v1/sessions").statusCode()).as(why).isEqualTo(401));
    assertThat(as(ISSUER.token("ann", AGENT)).get("/v1/sessions").statusCode()).isEqualTo(200);
  }

  @Test
  void tokenWithoutRoleOrOfUnknownTenantMayDoNothing() {
    for (var claims :
        List.of(
            Map.of("tenant", "default"),
            with("roles", List.of("owner", "session")),
            with("tenant", "another"),
            Map.of("roles", List.of("admin")))) {
      as(ISSUER.token("ann", claims)).get("/v1/sessions").then().statusCode(403);
    }
  }

  @Test
  void streamEndsWithItsToken() throws Exception {
    WithAuthentication.actAs(ADMIN_KEY);
    var events = Http.uri("/v1/sessions/" + kit.externalSession() + "/events");

    try (var client = connectedBeforeItsTokenExpires(events, 3)) {
      await("the client connects again").until(client::isRefused);

      assertThat(client.connections()).isEqualTo(1);
    }
  }

  /** A busy machine may not connect in time; then another token lives longer. */
  private static EventClient connectedBeforeItsTokenExpires(URI events, int seconds)
      throws InterruptedException {
    var expires = Instant.now().getEpochSecond() + seconds;
    var client =
        EventClient.follow(events, ISSUER.token("vera", withRole("viewer", "exp", expires)));
    await().until(() -> client.connections() > 0 || client.isRefused());
    if (client.connections() > 0) {
      return client;
    }
    client.close();
    assertThat(Instant.now().getEpochSecond()).isGreaterThanOrEqualTo(expires);
    return connectedBeforeItsTokenExpires(events, 2 * seconds);
  }

  private static Map<String, ?> with(String claim, Object value) {
    return withRole("agent", claim, value);
  }

  private static Map<String, ?> withRole(String role, String claim, Object value) {
    var claims = new HashMap<String, Object>(Map.of("roles", List.of(role), "tenant", "default"));
    claims.put(claim, value);
    return claims;
  }
}
