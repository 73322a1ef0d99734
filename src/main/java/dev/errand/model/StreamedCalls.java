package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the tool calls of a stream, because langchain4j combines calls with the same index, and
 * some endpoints give all calls the same index or none.
 */
final class StreamedCalls {

  /** The newest call of each index that the endpoint gave. */
  private final Map<Integer, Call> newest = new HashMap<>();

  private int count;

  /**
   * @param index of the call in the answer
   * @param id null if the endpoint has given none yet
   */
  private record Call(int index, @Nullable String id) {}

  /** Numbers the calls in an event. */
  void number(JsonNode event) {
    for (var part : event.at("/choices/0/delta/tool_calls")) {
      if (part instanceof ObjectNode call) {
        call.put("index", indexOf(call));
      }
    }
    // Ollama sends each call completely, but older versions without an index.
    for (var call : event.at("/message/tool_calls")) {
      if (call.path("function") instanceof ObjectNode function) {
        function.put("index", count++);
      }
    }
  }

  /** A part with another id and a name begins a call; any other continues the newest one. */
  private int indexOf(ObjectNode part) {
    var given = part.path("index").asInt();
    var id = text(part.path("id"));
    var call = newest.get(given);
    if (call == null || (isAnother(call.id(), id) && text(part.at("/function/name")) != null)) {
      call = new Call(count++, id);
    } else if (call.id() == null) {
      call = new Call(call.index(), id);
    }
    newest.put(given, call);
    return call.index();
  }

  private static boolean isAnother(@Nullable String known, @Nullable String id) {
    return known != null && id != null && !known.equals(id);
  }

  private static @Nullable String text(JsonNode node) {
    return node.asText("").isBlank() || node.isNull() ? null : node.asText();
  }
}
