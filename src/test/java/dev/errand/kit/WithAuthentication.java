package dev.errand.kit;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.HashMap;
import java.util.Map;

/**
 * The service with {@code errand.auth=oidc}: it accepts keys, session tokens, and the tokens of an
 * issuer in the test's process. It keeps what it sends to models, and knows the address of its
 * console and the currency of its prices. All classes with this profile share one application.
 */
public final class WithAuthentication implements QuarkusTestProfile {

  public static final String ADMIN_KEY = "err_root_" + "r00t".repeat(16);

  /** The address of the console, which is configured with a slash at its end. */
  public static final String CONSOLE = "https://errand.example/console";

  private static final String HEADER = "Authorization";

  public static final TokenIssuer ISSUER = TokenIssuer.shared();

  @Override
  public Map<String, String> getConfigOverrides() {
    return Map.of(
        "errand.auth",
        "oidc",
        "errand.oidc.enabled",
        "true",
        "errand.oidc.issuer",
        ISSUER.url(),
        "errand.oidc.audience",
        TokenIssuer.AUDIENCE,
        "errand.oidc.tenant-claim",
        "tenant",
        "errand.admin-key",
        ADMIN_KEY,
        "errand.sent.keep",
        "1h",
        "errand.console.url",
        CONSOLE + "/",
        "errand.prices.currency",
        "EUR");
  }

  /** Makes all requests that have no key of their own those of an administrator. */
  public static void actAsAdmin() {
    actAs(ADMIN_KEY);
  }

  /** Like {@link #actAsAdmin()}, with another key or token. */
  public static void actAs(String key) {
    Http.actAs(key);
  }

  public static void actAsNobody() {
    Http.actAs(null);
  }

  /** A request with this key or token. */
  public static HttpCall as(String key) {
    return Http.given().header(HEADER, "Bearer " + key);
  }

  /** A new key with this role. */
  public static String key(String role, Map<String, ?> more) {
    var body = new HashMap<String, Object>(more);
    body.put("name", "a key");
    body.put("role", role);
    return as(ADMIN_KEY)
        .contentType("application/json")
        .body(body)
        .post("/v1/keys")
        .then()
        .statusCode(201)
        .extract()
        .path("key");
  }
}
