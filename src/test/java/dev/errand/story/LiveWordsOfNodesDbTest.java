package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.HeardWords;
import dev.errand.kit.Http;
import dev.errand.kit.OtherNode;
import dev.errand.kit.SpeakingModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.postgres.DatabaseAddress;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** What nodes tell each other while a model speaks. */
@QuarkusTest
class LiveWordsOfNodesDbTest implements Story {

  private static final String PROMPT = "Tell them.";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Inject TaskKit kit;
  @Inject SpeakingModel models;
  @Inject DatabaseAddress database;
  @Inject Jdbi jdbi;

  @Test
  void otherNodeHearsTheSessionsThatItStreamsUntilItIsForgotten() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var node = otherNode()) {
      kit.say(session, PROMPT);
      node.tells("{\"sessions\":[\"" + session + "\"],\"of a newer version\":true}");
      speaker.sayUntil(() -> node.words(session).size() > 5);
      // The connection on which this node hears the others.
      jdbi.useHandle(handle ->
          handle.execute(
              "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"));
      var before = node.words(session).size();
      speaker.sayUntil(() -> node.words(session).size() > before + 5);

      speaker.sayUntil(() -> node.silence().compareTo(Duration.ofSeconds(2)) > 0);

      speaker.end();
      kit.awaitRest(session);
      assertThat(node.text(session)).isNotEmpty();
      assertThat(kit.transcript(session).getLast().text()).startsWith(node.text(session));
    }
  }

  @Test
  void nothingIsSentWithoutAListener() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var node = otherNode();
        var client = follow(session, "?deltas=true")) {
      kit.say(session, PROMPT);
      speaker.sayUntil(() -> new HeardWords(client, session).deltas().size() > 5);
      speaker.end();
      kit.awaitRest(session);

      await().until(() -> !node.streams().isEmpty());
      assertThat(node.streams()).allMatch(text -> text.path("sessions").path(0).isTextual());
      assertThat(node.words(session)).isEmpty();
    }
  }

  @Test
  void wordsFromAnotherNodeAreStreamed() throws Exception {
    var session = kit.externalSession();
    try (var node = otherNode();
        var client = follow(session, "?deltas=true")) {
      var heard = new HeardWords(client, session);
      for (var unreadable : List.of("{", "[]", "5", "null", "{\"sessions\": 5, \"session\": []}")) {
        node.tells(unreadable);
      }
      var words =
          "{\"session\":\"%1$s\",\"root\":\"%1$s\",\"seq\":1,\"attempt\":1,\"offset\":7,\"text\":\"away\",\"time\":\"%2$s\"}";
      node.tells(words.formatted(session, "yesterday"));

      await()
          .until(() -> {
            node.tells(words.formatted(session, "2026-01-02T03:04:05.006Z"));
            return !heard.deltas().isEmpty();
          });

      var delta = heard.deltas().getFirst().envelope();
      assertThat(delta.get("data")).isEqualTo(JSON.readTree("{\"offset\": 7, \"text\": \"away\"}"));
      assertThat(delta.get("time").asText()).isEqualTo("2026-01-02T03:04:05.006Z");
      assertThat(delta.get("source").asText()).isEqualTo("/v1/sessions/" + session);
    }
  }

  private OtherNode otherNode() throws SQLException {
    return new OtherNode(database.connect(Duration.ofSeconds(60), OtherNode.LISTEN));
  }

  private static EventClient follow(SessionId session, String query) {
    return EventClient.follow(Http.uri("/v1/sessions/" + session + "/events" + query));
  }
}
