package dev.errand.console;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import dev.errand.kit.Http;
import dev.errand.kit.HttpCall;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Logins of the console: a key is exchanged for a cookie. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class LoginDbTest {

  @Test
  void cookieHasTheRightsOfTheKey() {
    var cookie = logIn(key("viewer", Map.of()));

    with(cookie)
        .get("/v1/me")
        .then()
        .statusCode(200)
        .body("role", is("viewer"), "currency", is("EUR"));
    with(cookie)
        .contentType("application/json")
        .body(Map.of())
        .post("/v1/sessions")
        .then()
        .statusCode(403);
  }

  @Test
  void unknownKeyLogsNobodyIn() {
    as(ADMIN_KEY.replace("0", "1")).post("/console/login").then().statusCode(401);
    Http.given().post("/console/login").then().statusCode(401);
  }

  @Test
  void addressFromWhichFiveLoginsFailedIsRefusedWithAnyKey() throws Exception {
    var wrong = ADMIN_KEY.replace("0", "1");
    for (int failed = 0; failed < LoginLimit.MOST; failed++) {
      assertThat(logInFrom("127.0.0.77", wrong).statusCode()).isEqualTo(401);
    }

    var refused = logInFrom("127.0.0.77", ADMIN_KEY);

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("60");
    assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(refused.body()).contains("at most 5 failed logins a minute for each address");
    assertThat(logInFrom("127.0.0.78", ADMIN_KEY).statusCode()).isEqualTo(204);
  }

  private static HttpResponse<String> logInFrom(String address, String key) throws Exception {
    try (var client =
        HttpClient.newBuilder().localAddress(InetAddress.getByName(address)).build()) {
      var request =
          HttpRequest.newBuilder(Http.uri("/console/login"))
              .header("Authorization", "Bearer " + key)
              .POST(BodyPublishers.noBody())
              .build();
      return client.send(request, BodyHandlers.ofString());
    }
  }

  @Test
  void keyOfMetricsLogsNobodyIn() {
    as(key("metrics", Map.of())).post("/console/login").then().statusCode(403);
  }

  @Test
  void loginEndsWithItsKey() {
    var made =
        as(ADMIN_KEY)
            .contentType("application/json")
            .body(Map.of("name", "ann", "role", "agent"))
            .post("/v1/keys");
    var cookie = logIn(made.path("key"));

    as(ADMIN_KEY).delete("/v1/keys/{id}", made.<String>path("id")).then().statusCode(204);

    await().until(() -> with(cookie).get("/v1/me").statusCode() == 401);
  }

  @Test
  void loginEndsWhenThePersonLogsOut() {
    var cookie = logIn(key("agent", Map.of()));

    with(cookie).post("/console/logout").then().statusCode(204);

    await().until(() -> with(cookie).get("/v1/me").statusCode() == 401);
  }

  @Test
  void pageOfAnotherOriginCannotUseACookie() {
    var cookie = logIn(key("agent", Map.of()));

    with(cookie)
        .header("Origin", "http://evil.example")
        .contentType("application/json")
        .body(Map.of())
        .post("/v1/sessions")
        .then()
        .statusCode(403);
  }

  @Test
  void cookieBehindTlsIsSecure() {
    var cookie =
        as(key("viewer", Map.of()))
            .header("X-Forwarded-Proto", "https")
            .post("/console/login")
            .then()
            .statusCode(204)
            .header("Set-Cookie");

    assertThat(cookie).startsWith("__Host-errand=").contains("Secure", "Path=/");
  }

  private static String logIn(String key) {
    var answer = as(key).post("/console/login").then().statusCode(204);
    var cookie = requireNonNull(answer.header("Set-Cookie"));
    assertThat(cookie).containsIgnoringCase("HttpOnly").contains("SameSite=Strict", "Path=/");
    return cookie.substring(0, cookie.indexOf(';'));
  }

  private static HttpCall with(String cookie) {
    return Http.given().header("Cookie", cookie);
  }
}
