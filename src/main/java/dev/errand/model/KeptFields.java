package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an answer that the service does not know, such as reasoning and signatures: {@code
 * {"model": "openai:gpt-5", "message": {…}, "call": {…}}}. They are kept with the parts of the
 * message, those of the message with the first call or, without calls, with the text; and only the
 * model that made them gets them back.
 */
final class KeptFields {

  private static final ObjectNode NONE = JsonNodeFactory.instance.objectNode();

  /** Texts that arrive whole, and may be repeated, in a stream. */
  private static final Set<String> WHOLE = Set.of("id", "type", "format", "role", "name", "index");

  private KeptFields() {}

  /** Returns the fields to keep; null if there are none. */
  static @Nullable JsonNode of(String model, ObjectNode message, ObjectNode call) {
    var kept = JsonNodeFactory.instance.objectNode().put("model", model);
    if (!message.isEmpty()) {
      kept.set("message", message);
    }
    if (!call.isEmpty()) {
      kept.set("call", call);
    }
    return kept.size() == 1 ? null : kept;
  }

  /** Returns a copy of what belongs to a message; empty if this model has not made it. */
  static ObjectNode ofMessage(Message message, String model) {
    for (var part : message.content()) {
      var kept =
          switch (part) {
            case Content.Text text -> field(text.metadata(), model, "message");
            case Content.ToolCall call -> field(call.metadata(), model, "message");
            case Content.ToolResult _ -> NONE;
          };
      if (!kept.isEmpty()) {
        return kept;
      }
    }
    return NONE;
  }

  /** Returns a copy of what belongs to a call; empty if this model has not made it. */
  static ObjectNode ofCall(Content.ToolCall call, String model) {
    return field(call.metadata(), model, "call");
  }

  private static ObjectNode field(@Nullable JsonNode kept, String model, String name) {
    return kept != null
            && kept.path("model").asText().equals(model)
            && kept.path(name) instanceof ObjectNode fields
        ? fields.deepCopy()
        : NONE;
  }

  /** Adds the fields of a part of an answer that are not known. Null means absent. */
  static void add(JsonNode part, Set<String> known, ObjectNode kept) {
    part.properties()
        .forEach(field -> {
          if (!known.contains(field.getKey()) && !field.getValue().isNull()) {
            merge(kept, field.getKey(), field.getValue());
          }
        });
  }

  /** A text continues the one before it; objects and lists are merged; other values replace. */
  private static void merge(ObjectNode kept, String name, JsonNode added) {
    switch (kept.path(name)) {
      case ObjectNode object when added.isObject() -> add(added, Set.of(), object);
      case ArrayNode list when added.isArray() -> added.forEach(element -> append(list, element));
      case JsonNode text when text.isTextual() && added.isTextual() && !WHOLE.contains(name) ->
          kept.put(name, text.textValue() + added.textValue());
      // What was received is merged into later, so a list that is its owner's is not.
      default -> kept.set(name, added.deepCopy());
    }
  }

  /**
   * Adds a part of a content that is a list. A part of the same type as the last one continues it.
   */
  static void extend(ArrayNode content, JsonNode part) {
    var last = content.isEmpty() ? NONE : content.get(content.size() - 1);
    if (!(last instanceof ObjectNode known)
        || !part.isObject()
        || !known.path("type").equals(part.path("type"))) {
      content.add(part.deepCopy());
      return;
    }
    part.properties()
        .forEach(field -> {
          if (known.path(field.getKey()) instanceof ArrayNode inner && field.getValue().isArray()) {
            field.getValue().forEach(element -> extend(inner, element));
          } else {
            merge(known, field.getKey(), field.getValue());
          }
        });
  }

  /** Elements with the index and the type of an earlier one are parts of it. */
  private static void append(ArrayNode list, JsonNode element) {
    for (var earlier : list) {
      if (element.has("index")
          && earlier instanceof ObjectNode known
          && known.path("index").equals(element.path("index"))
          && known.path("type").equals(element.path("type"))) {
        add(element, Set.of(), known);
        return;
      }
    }
    list.add(element.deepCopy());
  }
}
