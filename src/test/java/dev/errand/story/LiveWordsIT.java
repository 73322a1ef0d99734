package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.HeardWords;
import dev.errand.kit.OtherNode;
import dev.errand.kit.Service;
import dev.errand.kit.SpeakingEndpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of one node hears the words of a model that speaks at another one. */
class LiveWordsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String PROMPT = "Tell me.";

  @Test
  void wordsReachTheStreamsOfAnotherNodeUntilItIsKilled(@TempDir Path home) throws Exception {
    try (var model = new SpeakingEndpoint();
        var first = Service.start(home.resolve("first"), model.environment());
        var connection = listening(first);
        var witness = new OtherNode(connection);
        var second = Service.startWithoutCopy(home.resolve("second"), beside(first, model))) {
      var session = open(first);
      var speaker = model.speaker(PROMPT);
      try (var client = EventClient.follow(second.uri(events(session) + "?deltas=true"))) {
        var heard = new HeardWords(client, session);
        first.post("/v1/sessions/" + session + "/messages", Map.of("text", PROMPT), 202);

        speaker.sayUntil(() -> heard.deltas().size() > 10);

        assertThat(client.types()).doesNotContain("model.ended");
        assertThat(heard.text()).startsWith("word ");
        assertThat(heard.shortestPause()).isGreaterThan(Duration.ofMillis(95));
        second.kill();
        speaker.sayUntil(() -> witness.silence().compareTo(Duration.ofSeconds(3)) > 0);

        speaker.end();
        await().atMost(TIMEOUT).until(() -> isIdle(first, session));
        var stored = first.items("/v1/sessions/" + session + "/messages", "after_seq").getLast();
        assertThat(stored.at("/content/0/text").asText())
            .startsWith(witness.text(session))
            .startsWith(heard.text());
        assertThat(takeovers(first)).isZero();
      }
    }
  }

  private static Map<String, String> beside(Service first, SpeakingEndpoint model)
      throws IOException {
    var environment = new HashMap<>(model.environment());
    environment.putAll(first.databaseEnvironment());
    return environment;
  }

  private static Connection listening(Service service) throws SQLException, IOException {
    var connection =
        DriverManager.getConnection(
            service.databaseUrl(), Service.DATABASE_USER, service.databasePassword());
    try (var statement = connection.createStatement()) {
      statement.execute(OtherNode.LISTEN);
    }
    return connection;
  }

  private static SessionId open(Service service) {
    var id = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
    return SessionId.parse(id).orElseThrow();
  }

  private static String events(SessionId session) {
    return "/v1/sessions/" + session + "/events";
  }

  private static boolean isIdle(Service service, SessionId session) {
    return service.get("/v1/sessions/" + session).get("state").asText().equals("idle");
  }

  private static int takeovers(Service service) throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle.createQuery("select max(takeovers) from session").mapTo(Integer.class).one());
  }
}
