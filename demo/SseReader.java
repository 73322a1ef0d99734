package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.stream.Stream;

/** Reads a stream of server-sent events, and resumes after the last event that was handled. */
final class SseReader {

  private final Api api;
  private final String path;
  private String lastEventId = "0";

  SseReader(Api api, String path) {
    this.api = api;
    this.path = path;
  }

  /** Handles one event after the other. */
  interface Listener {

    /**
     * @return whether more events are wanted
     * @throws Api.Away the event could not be handled; it is passed again later
     */
    boolean on(Event event) throws Api.Away, InterruptedException;
  }

  /** A CloudEvents envelope. */
  record Event(JsonNode envelope) {

    String type() {
      return envelope.path("type").asText();
    }

    Instant time() {
      return Instant.parse(envelope.path("time").asText());
    }

    /** The id at the end of {@code /v1/sessions/{id}}. */
    String session() {
      var source = envelope.path("source").asText();
      return source.substring(source.lastIndexOf('/') + 1);
    }

    JsonNode data() {
      return envelope.path("data");
    }
  }

  /**
   * Passes events to the listener until it wants no more or the stream ends.
   *
   * @return whether more events are wanted
   * @throws Api.Away the connection was cut, or could not be made
   */
  boolean read(Listener listener) throws Api.Away, InterruptedException {
    try (var lines = api.lines(path, lastEventId)) {
      return read(lines, listener);
    } catch (UncheckedIOException cut) {
      throw Api.Away.gone();
    }
  }

  private boolean read(Stream<String> lines, Listener listener)
      throws Api.Away, InterruptedException {
    var id = lastEventId;
    for (var line : (Iterable<String>) lines::iterator) {
      if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("data: ")) {
        var more = listener.on(new Event(Api.parse(line.substring(6))));
        lastEventId = id;
        if (!more) {
          return false;
        }
      }
    }
    return true;
  }
}
