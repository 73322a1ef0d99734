package dev.errand.story;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Arguments made from the schema of a tool: what is required, and a text in one place. */
final class SampleArguments {

  /** Texts that mean something to a tool; any other text stands for itself. */
  private static final Map<String, String> SAMPLES =
      Map.of(
          "file_path", "note.txt",
          "command", "true",
          "url", "http://127.0.0.1:9/",
          "action", "deny",
          "status", "pending",
          "subagent_type", "explore",
          "task_id", "task_" + "0".repeat(32));

  private SampleArguments() {}

  /** One object per place of the schema that may have this text, and one with an unknown field. */
  static List<ObjectNode> with(String text, JsonNode schema) {
    var required = required(schema);
    var all = new ArrayList<ObjectNode>();
    for (var field : schema.path("properties").properties()) {
      values(text, field.getValue())
          .forEach(value -> all.add(required.deepCopy().set(field.getKey(), value)));
    }
    all.add(required.deepCopy().put(text, text));
    return all;
  }

  private static List<? extends JsonNode> values(String text, JsonNode schema) {
    return switch (schema.path("type").asText()) {
      case "array" ->
          values(text, schema.path("items")).stream()
              .map(item -> JsonNodeFactory.instance.arrayNode().add(item))
              .toList();
      case "object" -> with(text, schema);
      default -> List.of(TextNode.valueOf(text));
    };
  }

  private static ObjectNode required(JsonNode schema) {
    var object = JsonNodeFactory.instance.objectNode();
    for (var name : schema.path("required")) {
      object.set(
          name.asText(), sample(name.asText(), schema.path("properties").path(name.asText())));
    }
    return object;
  }

  private static JsonNode sample(String name, JsonNode schema) {
    var json = JsonNodeFactory.instance;
    return switch (schema.path("type").asText()) {
      case "array" -> json.arrayNode().add(sample("", schema.path("items")));
      case "object" -> required(schema);
      case "integer" -> json.numberNode(schema.path("minimum").asInt());
      case "boolean" -> json.booleanNode(true);
      default -> json.textNode(SAMPLES.getOrDefault(name, "sample"));
    };
  }
}
