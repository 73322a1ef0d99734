package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The Anthropic Messages API as an agent of others uses it: with answers as streams of events, and
 * with requests that are not ours to judge.
 */
public final class StreamedAnthropic implements StubWire {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final AnthropicStub whole = new AnthropicStub();

  @Override
  public String path() {
    return whole.path();
  }

  @Override
  public String model() {
    return whole.model();
  }

  @Override
  public String contentType() {
    return "text/event-stream";
  }

  @Override
  public Map<String, String> environment(String url) {
    return Map.of("ANTHROPIC_BASE_URL", url);
  }

  /** System messages may stand between the others; of them, only the texts are read. */
  @Override
  public List<Turn> turns(JsonNode request) {
    var read = JSON.createObjectNode();
    var messages = read.putArray("messages");
    for (var message : request.get("messages")) {
      messages.add(message.path("role").asText().equals("system") ? texts(message) : message);
    }
    return whole.turns(read);
  }

  private static JsonNode texts(JsonNode message) {
    var texts = JSON.createObjectNode().put("role", "system");
    var content = texts.putArray("content");
    for (var block : message.get("content")) {
      if (block.path("type").asText().equals("text")) {
        content.add(block);
      }
    }
    return texts;
  }

  @Override
  public List<String> tools(JsonNode request) {
    return whole.tools(request);
  }

  @Override
  public List<String> refusals(JsonNode request) {
    return List.of();
  }

  @Override
  public String answer(StubEndpoint.Answer answer) {
    var message = read(whole.answer(answer));
    message.put("id", "msg_" + UUID.randomUUID());
    var content = message.remove("content");
    var delta = JSON.createObjectNode();
    delta.set("stop_reason", message.remove("stop_reason"));
    delta.putNull("stop_sequence");
    message.putArray("content");
    var events = new StringBuilder();
    append(events, "message_start", event -> event.set("message", message));
    for (int index = 0; index < content.size(); index++) {
      appendBlock(events, index, (ObjectNode) content.get(index));
    }
    append(
        events,
        "message_delta",
        event -> event.<ObjectNode>set("delta", delta).putObject("usage").put("output_tokens", 5));
    append(events, "message_stop", event -> {});
    return events.toString();
  }

  private static ObjectNode read(String message) {
    try {
      return (ObjectNode) JSON.readTree(message);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** A block begins empty; its content follows at once. */
  private static void appendBlock(StringBuilder events, int index, ObjectNode block) {
    var delta = JSON.createObjectNode();
    if (block.has("text")) {
      delta.put("type", "text_delta").put("text", block.get("text").asText());
      block.put("text", "");
    } else {
      delta.put("type", "input_json_delta").put("partial_json", block.get("input").toString());
      block.putObject("input");
    }
    append(
        events,
        "content_block_start",
        event -> event.put("index", index).set("content_block", block));
    append(events, "content_block_delta", event -> event.put("index", index).set("delta", delta));
    append(events, "content_block_stop", event -> event.put("index", index));
  }

  private static void append(StringBuilder events, String type, Consumer<ObjectNode> fields) {
    var event = JSON.createObjectNode().put("type", type);
    fields.accept(event);
    events.append("event: ").append(type).append("\ndata: ").append(event).append("\n\n");
  }
}
