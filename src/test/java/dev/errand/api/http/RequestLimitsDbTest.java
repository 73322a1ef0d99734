package dev.errand.api.http;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class RequestLimitsDbTest {

  @ParameterizedTest
  @ValueSource(ints = {8_000, 100_000, 1_000_000})
  void overLongUrlIsAnsweredWithAProblemDocument(int length) {
    given()
        .urlEncodingEnabled(false)
        .get("/v1/tasks?label=" + "x".repeat(length))
        .then()
        .statusCode(414)
        .contentType("application/problem+json")
        .body("status", is(414))
        .body("detail", containsString("8,000 characters"))
        .body("instance", is("/v1/tasks"));
  }

  @Test
  void urlOf7000CharactersIsServed() {
    given().get("/v1/agents/" + "x".repeat(7_000)).then().statusCode(404);
  }
}
