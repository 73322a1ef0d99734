package dev.errand.story;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.kit.OddEndpoint.Played;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer as a server really sends it, and what must become of it. One of {@code message}, {@code
 * stream} and {@code raw} is given.
 *
 * @param wire openai, anthropic or ollama
 * @param message played as a document and as a stream: the message of OpenAI and Ollama, the list
 *     of blocks of Anthropic
 * @param finish the finish reason; absent for the usual one
 * @param document fields of a document around the message
 * @param stream the events of a stream
 * @param raw the body itself
 * @param then refusals after that answer
 * @param says the result of the task; absent if it is "DONE" of the next answer
 * @param contains texts that the last request contains
 * @param lacks texts that neither the result nor a further request contains
 * @param error the code of the error with which the task fails
 */
record WireRow(
    String name,
    String wire,
    @Nullable JsonNode message,
    @Nullable String finish,
    @Nullable ObjectNode document,
    @Nullable List<JsonNode> stream,
    @Nullable String raw,
    @Nullable List<Refused> then,
    int status,
    boolean packed,
    @Nullable Map<String, String> headers,
    @Nullable String says,
    @Nullable List<String> contains,
    @Nullable List<String> lacks,
    @Nullable String error,
    @Nullable JsonNode usage) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** An answer with another status than 200. */
  record Refused(int status, JsonNode body) {}

  /** What is played after the answer. */
  List<Played> rest() {
    var rest = new ArrayList<Played>();
    for (var refused : then == null ? List.<Refused>of() : then) {
      var type = Map.of("Content-Type", "application/json");
      rest.add(new Played(refused.status(), type, refused.body().toString(), false));
    }
    rest.add(done());
    return rest;
  }

  /** The bodies in which the answer is played, by their form. */
  Map<String, Played> plays() {
    var bodies = new LinkedHashMap<String, String>();
    if (raw != null) {
      bodies.put("raw", raw);
    } else if (stream != null) {
      bodies.put("stream", events(stream));
    } else {
      bodies.put("document", whole().toString());
      bodies.put("stream", events(parts()));
    }
    var played = new LinkedHashMap<String, Played>();
    bodies.forEach((form, body) -> played.put(form, played(form, body)));
    return played;
  }

  private Played played(String form, String body) {
    var all = new LinkedHashMap<String, String>();
    all.put("Content-Type", form.equals("stream") ? "text/event-stream" : "application/json");
    all.putAll(headers == null ? Map.of() : headers);
    return new Played(status == 0 ? 200 : status, all, body, packed);
  }

  private Played done() {
    return Played.ok(
        switch (wire) {
          case "anthropic" ->
              "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"DONE\"}],\"stop_reason\":\"end_turn\"}";
          case "ollama" ->
              "{\"message\":{\"role\":\"assistant\",\"content\":\"DONE\"},\"done\":true}";
          default ->
              "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"DONE\"},\"finish_reason\":\"stop\"}]}";
        });
  }

  private String events(List<JsonNode> values) {
    var text = new StringBuilder();
    for (var value : values) {
      text.append(wire.equals("ollama") ? value + "\n" : "data: " + value + "\n\n");
    }
    return wire.equals("openai") ? text + "data: [DONE]\n\n" : text.toString();
  }

  private ObjectNode whole() {
    var whole = JSON.createObjectNode();
    switch (wire) {
      case "anthropic" -> {
        whole.put("type", "message").put("role", "assistant").put("stop_reason", reason());
        whole.set("content", message);
      }
      case "ollama" -> whole.put("done", true).put("done_reason", reason()).set("message", message);
      default ->
          whole
              .putArray("choices")
              .addObject()
              .put("index", 0)
              .put("finish_reason", reason())
              .set("message", message);
    }
    if (document != null) {
      whole.setAll(document);
    }
    return whole;
  }

  private List<JsonNode> parts() {
    return switch (wire) {
      case "anthropic" -> blocks();
      case "ollama" ->
          List.of(
              JSON.createObjectNode().put("done", false).set("message", message),
              JSON.createObjectNode().put("done", true).put("done_reason", reason()));
      default -> List.of(chunk(message, null), chunk(JSON.createObjectNode(), reason()));
    };
  }

  private JsonNode chunk(@Nullable JsonNode delta, @Nullable String reason) {
    var chunk = JSON.createObjectNode();
    var choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.put("finish_reason", reason).set("delta", delta);
    if (document != null && reason != null) {
      chunk.setAll(document);
    }
    return chunk;
  }

  private List<JsonNode> blocks() {
    var events = new ArrayList<JsonNode>();
    var start = JSON.createObjectNode().put("type", "message_start");
    start.putObject("message").put("role", "assistant").putArray("content");
    events.add(start);
    for (int index = 0; message != null && index < message.size(); index++) {
      var event = JSON.createObjectNode().put("type", "content_block_start").put("index", index);
      events.add(event.set("content_block", message.get(index)));
    }
    var end = JSON.createObjectNode().put("type", "message_delta");
    end.putObject("delta").put("stop_reason", reason());
    events.add(end);
    events.add(JSON.createObjectNode().put("type", "message_stop"));
    return events;
  }

  private String reason() {
    if (finish != null) {
      return finish;
    }
    var calls = String.valueOf(message).contains("tool_");
    return switch (wire) {
      case "anthropic" -> calls ? "tool_use" : "end_turn";
      case "ollama" -> "stop";
      default -> calls ? "tool_calls" : "stop";
    };
  }
}
