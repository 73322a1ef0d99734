package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What the client of a stream has heard of the answer that a session's model is writing. */
public record HeardWords(EventClient client, SessionId session) {

  public List<Received> deltas() {
    return client.received().stream()
        .filter(event -> event.type().equals("message.delta"))
        .filter(event -> event.envelope().get("source").asText().endsWith(session.toString()))
        .toList();
  }

  /** The text as a client puts it together; fails when something is missing. */
  public String text() {
    var text = new StringBuilder();
    for (var delta : deltas()) {
      var offset = delta.data().get("offset").asInt();
      assertThat(offset).isIn(0, text.length());
      text.setLength(offset);
      text.append(delta.data().get("text").asText());
    }
    return text.toString();
  }

  /** The shortest time between two deltas, by their time stamps. */
  public Duration shortestPause() {
    var times =
        deltas().stream()
            .map(delta -> Instant.parse(delta.envelope().get("time").asText()))
            .toList();
    var shortest = Duration.ofDays(1);
    for (int next = 1; next < times.size(); next++) {
      var pause = Duration.between(times.get(next - 1), times.get(next));
      shortest = pause.compareTo(shortest) < 0 ? pause : shortest;
    }
    return shortest;
  }
}
