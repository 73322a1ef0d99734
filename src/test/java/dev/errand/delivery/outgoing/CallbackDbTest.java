package dev.errand.delivery.outgoing;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.kit.HttpAnswer;
import dev.errand.outbox.WebhookSecret;
import io.quarkus.test.junit.QuarkusTest;
import java.util.Map;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Registration of a callback with a session. */
@QuarkusTest
class CallbackDbTest {

  private static final String URL = "http://127.0.0.1:1/hook";
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @Test
  void generatedSecretIsShownOnlyInTheAnswerToTheRegistration() {
    var opened = open(Map.of("kind", "external", "callback", Map.of("url", URL))).statusCode(201);
    opened.body("callback.url", is(URL)).body("callback.secret", startsWith("whsec_"));
    var secret = opened.extract().<String>path("callback.secret");
    var id = opened.extract().<String>path("id");

    given()
        .get("/v1/sessions/{id}", id)
        .then()
        .statusCode(200)
        .body("callback", is(Map.of("url", URL, "state", "active")));
    var list = given().get("/v1/sessions").then().statusCode(200);
    list.body("items.callback.url", hasItem(URL));
    assertThat(list.extract().asString()).doesNotContain(secret);
    assertThat(WebhookSecret.parse(secret)).isPresent();
  }

  @Test
  void givenSecretIsUsed() {
    open(Map.of("kind", "external", "callback", Map.of("url", URL, "secret", SECRET)))
        .statusCode(201)
        .body("callback.secret", is(SECRET));
  }

  @Test
  void hostedSessionCanHaveACallback() {
    var opened = open(Map.of("callback", Map.of("url", URL))).statusCode(201);
    opened.body("callback.url", is(URL)).body("callback.secret", startsWith("whsec_"));

    given()
        .get("/v1/sessions/{id}", opened.extract().<String>path("id"))
        .then()
        .body("kind", is("hosted"))
        .body("callback", is(Map.of("url", URL, "state", "active")));
  }

  @Test
  void sessionWithoutACallbackShowsNone() {
    open(Map.of("kind", "external")).statusCode(201).body("callback", nullValue());
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | callback.url    | {\"callback\": {\"url\": \"nonsense\"}}",
        "400 | callback.url    | {\"kind\": \"hosted\", \"callback\": {\"url\": \"nonsense\"}}",
        "400 | callback.secret | {\"kind\": \"hosted\", \"callback\": {\"url\": \"http://127.0.0.1:1\", \"secret\": \"hunter2\"}}",
        "422 | callback.url    | {\"kind\": \"hosted\", \"callback\": {\"url\": \"http://169.254.169.254/latest\"}}",
        "400 | callback        | {\"kind\": \"external\", \"callback\": \"http://127.0.0.1:1\"}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {}}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": null}}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": 7}}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"\"}}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"nonsense\"}}",
        "400 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"http://\"}}",
        "400 | callback.colour | {\"kind\": \"external\", \"callback\": {\"url\": \"http://127.0.0.1:1\", \"colour\": \"red\"}}",
        "400 | callback.secret | {\"kind\": \"external\", \"callback\": {\"url\": \"http://127.0.0.1:1\", \"secret\": \"hunter2\"}}",
        "400 | callback.secret | {\"kind\": \"external\", \"callback\": {\"url\": \"http://127.0.0.1:1\", \"secret\": \"whsec_c2hvcnQ=\"}}",
        "400 | callback.secret | {\"kind\": \"external\", \"callback\": {\"url\": \"http://127.0.0.1:1\", \"secret\": \"\"}}",
        "422 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"ftp://127.0.0.1\"}}",
        "422 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"file:///etc/passwd\"}}",
        "422 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"http://me@127.0.0.1\"}}",
        "422 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"http://169.254.169.254/latest\"}}",
        "422 | callback.url    | {\"kind\": \"external\", \"callback\": {\"url\": \"http://[::]/\"}}"
      })
  void errorOfAnInvalidCallbackNamesTheField(int status, String field, String body) {
    given()
        .contentType("application/json")
        .body(body)
        .post("/v1/sessions")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("errors[0].field", is(field))
        .body("detail", not(Matchers.containsString("Exception")));
  }

  private static HttpAnswer open(Map<String, ?> body) {
    return given().contentType("application/json").body(body).post("/v1/sessions").then();
  }
}
