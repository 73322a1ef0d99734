package dev.errand.api;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** Requests for streams of events that are refused, and the documentation of the stream. */
@QuarkusTest
class EventStreamRefusalsDbTest implements Story {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Inject TaskKit kit;

  @ConfigProperty(name = "errand.events.max-streams")
  int maxStreams;

  @Test
  void wrongPositionIsRefusedByName() {
    var session = kit.externalSession();
    for (var position : List.of("abc", "-1", "1.5", "99999999999999999999", "1")) {
      given()
          .get("/v1/sessions/{id}/events?after={position}", session.toString(), position)
          .then()
          .statusCode(400)
          .contentType("application/problem+json")
          .body("errors[0].field", is("after"));
      given()
          .header("Last-Event-ID", position)
          .get("/v1/sessions/{id}/events", session.toString())
          .then()
          .statusCode(400)
          .body("errors[0].field", is("Last-Event-ID"));
    }
  }

  @Test
  void unknownSessionHasNoEvents() {
    for (var id : List.of("ses_0199c000000070008000000000000000", "nonsense")) {
      given()
          .get("/v1/sessions/{id}/events", id)
          .then()
          .statusCode(404)
          .contentType("application/problem+json");
    }
  }

  @Test
  void streamsAboveTheLimitAreRefusedUntilOthersEnd() throws Exception {
    var session = kit.externalSession();
    var clients = new ArrayList<EventClient>();
    for (int number = 0; number < maxStreams; number++) {
      clients.add(EventClient.follow(stream(session)));
    }
    await()
        .atMost(PATIENCE)
        .until(() -> clients.stream().allMatch(client -> client.connections() > 0));

    given()
        .get("/v1/sessions/{id}/events", session.toString())
        .then()
        .statusCode(503)
        .header("Retry-After", is("5"))
        .body("detail", containsString("Try again later"));

    for (var client : clients) {
      client.close();
    }
    try (var client = EventClient.follow(stream(session))) {
      await().atMost(PATIENCE).until(() -> client.connections() == 1);
    }
  }

  @Test
  void openApiDescribesTheStream() {
    given()
        .get("/q/openapi?format=json")
        .then()
        .statusCode(200)
        .body(
            "paths.'/v1/sessions/{id}/events'.get.responses.'200'.content.keySet()[0]",
            is("text/event-stream"))
        .body(
            "paths.'/v1/sessions/{id}/events'.get.parameters.name.sort()",
            is(List.of("Last-Event-ID", "after", "id", "tree")));
  }

  private URI stream(SessionId session) {
    return kit.uri("/v1/sessions/" + session + "/events");
  }
}
