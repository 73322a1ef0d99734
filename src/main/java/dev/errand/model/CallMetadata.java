package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openai.OpenAiChatResponseMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What providers want back with the calls of an answer: {@code {"model": …, "thinking": …,
 * "attributes": …, "extra_content": …}}. The first call of an answer carries what belongs to the
 * whole answer. {@code extra_content} is the extension by which endpoints with OpenAI's API sign
 * single calls; langchain4j does not know it, so it is read from the raw answer and added to the
 * raw request. Only the model that answered gets the metadata back.
 */
final class CallMetadata {

  /** By the id of the call as it is sent; bound while a request is sent. */
  private static final ScopedValue<Map<String, JsonNode>> EXTRA = ScopedValue.newInstance();

  private static final String EXTRA_CONTENT = "extra_content";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<Map<String, Object>> ATTRIBUTES = new TypeReference<>() {};

  private CallMetadata() {}

  /** Adds its metadata to each call of an answer. */
  static List<Content.ToolCall> added(
      List<Content.ToolCall> calls, ChatResponse response, String model) {
    var extra = extraContent(response);
    var answer = response.aiMessage();
    var withData = new ArrayList<Content.ToolCall>();
    for (var call : calls) {
      var data = JSON.createObjectNode();
      if (withData.isEmpty() && !hasSeveralSignatures(answer)) {
        addAnswer(answer, data);
      }
      var signed = extra.path(withData.size() + "");
      if (!signed.isMissingNode()) {
        data.set(EXTRA_CONTENT, signed);
      }
      var metadata = data.isEmpty() ? null : data.put("model", model);
      withData.add(new Content.ToolCall(call.id(), call.name(), call.arguments(), metadata));
    }
    return withData;
  }

  private static void addAnswer(AiMessage answer, ObjectNode data) {
    if (answer.thinking() != null) {
      data.put("thinking", answer.thinking());
    }
    if (!answer.attributes().isEmpty()) {
      data.set("attributes", JSON.valueToTree(answer.attributes()));
    }
  }

  /** langchain4j joins several signatures into one text, which is not a valid signature. */
  private static boolean hasSeveralSignatures(AiMessage answer) {
    return answer.attributes().get("thinking_signature") instanceof String signature
        && signature.contains("\n");
  }

  /** The metadata of a call if this model made it, otherwise null. */
  static @Nullable JsonNode of(Content.ToolCall call, String model) {
    var data = call.metadata();
    return data != null && data.path("model").asText().equals(model) ? data : null;
  }

  /** Gives an answer back what belongs to the whole of it. */
  static void restore(JsonNode data, AiMessage.Builder answer) {
    if (data.hasNonNull("thinking")) {
      answer.thinking(data.get("thinking").asText());
    }
    if (data.has("attributes")) {
      answer.attributes(JSON.convertValue(data.get("attributes"), ATTRIBUTES));
    }
  }

  /** Sends a request whose calls have this {@code extra_content}. */
  static ChatResponse sent(
      Map<String, JsonNode> metadata, ScopedValue.CallableOp<ChatResponse, RuntimeException> send) {
    return ScopedValue.where(EXTRA, metadata).call(send);
  }

  /** Adds the {@code extra_content} of the calls to the body of the request that is being sent. */
  static String withExtraContent(String body) {
    var extra = EXTRA.orElse(Map.of());
    if (extra.values().stream().noneMatch(data -> data.has(EXTRA_CONTENT))) {
      return body;
    }
    var request = parsed(body);
    for (var message : request.path("messages")) {
      for (var call : message.path("tool_calls")) {
        var data = extra.get(call.path("id").asText());
        if (data != null && data.has(EXTRA_CONTENT)) {
          ((ObjectNode) call).set(EXTRA_CONTENT, data.get(EXTRA_CONTENT));
        }
      }
    }
    return request.toString();
  }

  /** By the place of the call in the answer. */
  private static ObjectNode extraContent(ChatResponse response) {
    var found = JSON.createObjectNode();
    if (response.metadata() instanceof OpenAiChatResponseMetadata raw) {
      if (raw.rawHttpResponse() != null && raw.rawHttpResponse().body() != null) {
        collect(raw.rawHttpResponse().body(), found);
      }
      if (raw.rawServerSentEvents() != null) {
        raw.rawServerSentEvents().forEach(event -> collectPart(event.data(), found));
      }
    }
    return found;
  }

  private static void collect(String body, ObjectNode found) {
    if (!body.contains(EXTRA_CONTENT)) {
      return;
    }
    var place = 0;
    for (var call : parsed(body).at("/choices/0/message/tool_calls")) {
      keep(call, place++, found);
    }
  }

  /** Each part has the index that {@link StreamedCalls} has given to its call. */
  private static void collectPart(String event, ObjectNode found) {
    if (event.contains(EXTRA_CONTENT)) {
      for (var part : parsed(event).at("/choices/0/delta/tool_calls")) {
        keep(part, part.path("index").asInt(), found);
      }
    }
  }

  private static void keep(JsonNode call, int place, ObjectNode found) {
    if (call.has(EXTRA_CONTENT)) {
      found.set(place + "", call.get(EXTRA_CONTENT));
    }
  }

  private static JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException("not JSON", broken);
    }
  }
}
