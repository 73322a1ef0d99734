package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.http.OpenStreams;
import dev.errand.kit.EventClient;
import dev.errand.kit.Http;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Requests for streams of events that are refused, and the documentation of the stream. */
@QuarkusTest
class EventStreamRefusalsDbTest implements Story {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Inject TaskKit kit;
  @Inject OpenStreams streams;

  @ConfigProperty(name = "errand.events.max-streams")
  int maxStreams;

  @ConfigProperty(name = "errand.http.max-streams-per-client")
  int maxStreamsPerClient;

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
  void streamsOfAClientAboveItsLimitAreRefusedUntilOthersEnd() throws Exception {
    var session = kit.externalSession();
    var clients = new ArrayList<EventClient>();
    await().atMost(PATIENCE).until(() -> streams.open() == 0);
    for (int number = 0; number < maxStreamsPerClient; number++) {
      clients.add(EventClient.follow(stream(session)));
    }
    await().atMost(PATIENCE).until(() -> streams.open() == maxStreamsPerClient);

    given()
        .get("/v1/sessions/{id}/events", session.toString())
        .then()
        .statusCode(429)
        .contentType("application/problem+json")
        .header("Retry-After", is("5"))
        .body("detail", containsString("18 streams of events"));

    for (var client : clients) {
      client.close();
    }
    try (var client = EventClient.follow(stream(session))) {
      await().atMost(PATIENCE).until(() -> client.connections() == 1);
    }
  }

  @Test
  void requestForTheHeadersOnlyTakesNoPlace() {
    var session = kit.externalSession().toString();
    await().atMost(PATIENCE).until(() -> streams.open() == 0);

    for (int number = 0; number < 2 * maxStreamsPerClient; number++) {
      given().send("HEAD", "/v1/sessions/{id}/events", session).then().statusCode(200);
    }
  }

  /** All addresses that begin with 127 are this machine; macOS has only the first one. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void streamsOfAllClientsAboveTheLimitAreRefused() throws Exception {
    var session = kit.externalSession();
    var sockets = new ArrayList<Socket>();
    await().atMost(PATIENCE).until(() -> streams.open() == 0);
    for (int number = 0; number < maxStreams; number++) {
      sockets.add(open(session, number < maxStreamsPerClient ? "127.0.0.1" : "127.0.0.2"));
    }
    await().atMost(PATIENCE).until(() -> streams.open() == maxStreams);

    try (var refused = open(session, "127.0.0.3")) {
      var answer = new String(refused.getInputStream().readNBytes(300), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 503 ");
    }
    for (var socket : sockets) {
      socket.close();
    }
    await().atMost(PATIENCE).until(() -> streams.open() == 0);
  }

  private Socket open(SessionId session, String address) throws IOException {
    var server = InetAddress.ofLiteral("127.0.0.1");
    var port = stream(session).getPort();
    var socket = new Socket(server, port, InetAddress.ofLiteral(address), 0);
    var request = "GET /v1/sessions/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.formatted(session).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void openApiDescribesTheStream() {
    given()
        .get("/q/openapi?format=json")
        .then()
        .statusCode(200)
        .body(
            "paths.'/v1/sessions/{id}/events'.get.responses.'200'.content",
            hasKey("text/event-stream"))
        .body(
            "paths.'/v1/sessions/{id}/events'.get.parameters.name",
            containsInAnyOrder("Last-Event-ID", "after", "deltas", "id", "tree"));
  }

  private URI stream(SessionId session) {
    return Http.uri("/v1/sessions/" + session + "/events");
  }
}
