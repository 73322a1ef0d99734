package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.ISSUER;
import static dev.errand.kit.WithAuthentication.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Http;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TokenIssuer;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
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
  void streamEndsWithItsToken() {
    WithAuthentication.actAs(ADMIN_KEY);
    var session = kit.externalSession();
    var token = ISSUER.token("vera", withRole("viewer", "exp", Instant.now().getEpochSecond() + 3));
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(Http.uri("/v1/sessions/" + session + "/events"))
              .header("Authorization", "Bearer " + token)
              .build();

      var stream = http.sendAsync(request, BodyHandlers.ofString());

      await().until(stream::isDone);
    }
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
