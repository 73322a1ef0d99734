package dev.errand.event;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.event.EventStore.EventScope;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What nodes tell each other: which streams they have, {@code {"sessions": ["ses_…"], "trees":
 * ["ses_…"]}}, and the words for them. A newer node may write further fields and other texts.
 */
final class DeltaTexts {

  private static final String SESSIONS = "sessions";
  private static final String TREES = "trees";

  private DeltaTexts() {}

  static Map<String, ?> listening(Collection<EventScope> streams) {
    return Map.of(SESSIONS, ids(streams, false), TREES, ids(streams, true));
  }

  private static List<String> ids(Collection<EventScope> streams, boolean trees) {
    return streams.stream()
        .filter(stream -> stream.tree() == trees)
        .map(stream -> stream.session().toString())
        .toList();
  }

  /** Returns the streams of another node; empty if the text says something else. */
  static List<EventScope> streams(JsonNode told) {
    var streams = new ArrayList<EventScope>();
    told.path(SESSIONS)
        .forEach(id -> session(id).ifPresent(known -> streams.add(new EventScope(known, false))));
    told.path(TREES)
        .forEach(id -> session(id).ifPresent(known -> streams.add(new EventScope(known, true))));
    return streams;
  }

  static Map<String, ?> saying(MessageDelta delta) {
    var call = delta.call();
    return Map.of(
        "session", call.session(),
        "root", call.root(),
        "seq", call.seq(),
        "attempt", call.attempt(),
        "time", delta.time().toString(),
        "offset", delta.offset(),
        "text", delta.text());
  }

  /** Returns the words of a model at another node; empty if the text says something else. */
  static Optional<MessageDelta> delta(JsonNode told) {
    return session(told.path("session"))
        .flatMap(session -> session(told.path("root")).map(root -> call(told, session, root)))
        .flatMap(call ->
            instant(told.path("time").asText())
                .map(time ->
                    new MessageDelta(
                        call, time, told.path("offset").asLong(), told.path("text").asText())));
  }

  private static SpokenCall call(JsonNode told, SessionId session, SessionId root) {
    return new SpokenCall(session, root, told.path("seq").asLong(), told.path("attempt").asInt());
  }

  private static Optional<SessionId> session(JsonNode id) {
    return SessionId.parse(id.asText());
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException unreadable) {
      return Optional.empty();
    }
  }
}
