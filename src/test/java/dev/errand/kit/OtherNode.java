package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.postgresql.PGConnection;

/** A node of which the others know nothing but the texts that it tells them. */
public final class OtherNode implements AutoCloseable {

  /** The statement with which its connection begins. */
  public static final String LISTEN = "listen errand_text";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MAX_BYTES = 4_096;

  private final UUID id = UUID.randomUUID();
  private final Connection connection;
  private final List<JsonNode> told = new ArrayList<>();
  private long toldWordsAt = System.nanoTime();

  /** The node closes the connection, on which {@link #LISTEN} was executed. */
  public OtherNode(Connection connection) {
    this.connection = connection;
  }

  public void tells(String text) throws SQLException {
    try (var statement = connection.prepareStatement("select pg_notify('errand_text', ?)")) {
      statement.setString(1, id + " " + text);
      statement.execute();
    }
  }

  /** The texts in which the others named their streams. */
  public List<JsonNode> streams() throws SQLException, IOException {
    return told().stream().filter(text -> text.has("sessions")).toList();
  }

  /** The words of a session that the others have sent. */
  public List<JsonNode> words(SessionId session) throws SQLException, IOException {
    return told().stream()
        .filter(text -> text.path("session").asText().equals(session.toString()))
        .toList();
  }

  /** The words of a session together; fails when something is missing. */
  public String text(SessionId session) throws SQLException, IOException {
    var text = new StringBuilder();
    for (var words : words(session)) {
      assertThat(words.get("offset").asInt()).isEqualTo(text.length());
      text.append(words.get("text").asText());
    }
    return text.toString();
  }

  /** How long the others have sent no words. */
  public Duration silence() throws SQLException, IOException {
    var ignored = told();
    return Duration.ofNanos(System.nanoTime() - toldWordsAt);
  }

  private List<JsonNode> told() throws SQLException, IOException {
    for (var arrived : connection.unwrap(PGConnection.class).getNotifications()) {
      var payload = arrived.getParameter();
      assertThat(payload.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(MAX_BYTES);
      if (!payload.startsWith(id.toString())) {
        var text = JSON.readTree(payload.substring(payload.indexOf(' ')));
        told.add(text);
        toldWordsAt = text.has("text") ? System.nanoTime() : toldWordsAt;
      }
    }
    return told;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
