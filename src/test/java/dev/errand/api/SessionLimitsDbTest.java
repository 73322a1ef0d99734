package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskOutcome;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The field {@code limits} of sessions. */
@QuarkusTest
class SessionLimitsDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void missingLimitsAreTheDefaultsOfTheService() {
    post("{\"kind\": \"external\", \"limits\": {\"max_depth\": 0, \"max_tokens\": 10000000000}}")
        .then()
        .statusCode(201)
        .body("limits.max_depth", is(0))
        .body("limits.max_delegations", is(1000))
        .body("limits.max_delegations_total", nullValue())
        .body("limits.max_background_tasks", is(500))
        .body("limits.max_tokens", is(10_000_000_000L));
  }

  @Test
  void sessionWithoutLimitsHasTheDefaultsOfTheService() {
    post("{\"kind\": \"external\"}")
        .then()
        .statusCode(201)
        .body("limits.max_depth", is(5))
        .body("limits.max_tokens", is(1_000_000_000_000L));
  }

  @Test
  void childShowsTheLimitsOfItsRoot() {
    kit.child("dig", model -> model.says("dug"));
    var parent = kit.limitedSession(Map.of("max_background_tasks", 3));
    var child = kit.awaitEnd(kit.submit(parent, "dig")).child();

    given()
        .get("/v1/sessions/{id}", child.toString())
        .then()
        .statusCode(200)
        .body("limits.max_background_tasks", is(3));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "max_depth            | -1          | 0 or more",
        "max_delegations      | -1          | 0 or more",
        "max_delegations_total | -1         | 0 or more",
        "max_background_tasks | -1          | 0 or more",
        "max_tokens           | -1          | 0 or more",
        "max_depth            | 1.5         | whole number",
        "max_depth            | \"2\"       | whole number",
        "max_cost             | \"2\"       | must be a number",
        "max_delegations      | 3000000000  | too large a number",
        "max_width            | 1           | unknown field",
        "max_depth            | 21          | at most 20, the cap",
        "max_delegations      | 5001        | at most 5000, the cap",
        "max_background_tasks | 1001        | at most 1000, the cap",
        "max_tokens           | 1000000000001 | at most 1000000000000, the cap"
      })
  void wrongLimitIsRefusedByName(String field, String value, String message) {
    post("{\"limits\": {\"%s\": %s}}".formatted(field, value))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("limits." + field))
        .body("errors[0].message", containsString(message));
  }

  @Test
  void capsNarrowTheLimitsOfASessionThatExists() {
    kit.child("dig", model -> model.says("not reached"));
    var parent = kit.externalSession();
    kit.tamper(
        "update tree set max_depth = 100, max_tokens = null, tokens = 1000000000000 where root_id = ?",
        parent.value());

    given()
        .get("/v1/sessions/{id}", parent.toString())
        .then()
        .body("limits.max_depth", is(20))
        .body("limits.max_tokens", is(1_000_000_000_000L));
    assertThat(kit.awaitEnd(kit.submit(parent, "dig")).outcome().orElseThrow().error())
        .extracting(TaskOutcome.Error::code)
        .isEqualTo("budget_exhausted");
  }

  @Test
  void limitsMustBeAnObject() {
    post("{\"limits\": 5}").then().statusCode(400).body("errors[0].field", is("limits"));
  }

  private static HttpAnswer post(String body) {
    return given().contentType("application/json").body(body).post("/v1/sessions");
  }
}
