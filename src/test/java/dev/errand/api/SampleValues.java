package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.kit.ScriptedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Values made from a schema: some that it allows and some that it does not allow. */
final class SampleValues {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** Texts that mean something to the service; any other text is accepted as well. */
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("agent", "primary"),
          Map.entry("kind", "external"),
          Map.entry("subagent_type", "explore"),
          Map.entry("model", ScriptedModel.NAME),
          Map.entry("workspace", "."),
          Map.entry("command", "task:explore --prompt look"),
          Map.entry("url", "http://127.0.0.1:9/callback"),
          Map.entry("permission", "read"),
          Map.entry("Prefer", "wait=0"));

  private static final String DIGITS = "0".repeat(32);

  private final OpenApiDocument document;

  SampleValues(OpenApiDocument document) {
    this.document = document;
  }

  /** Every constant of an enum, both bounds of a number, both booleans, or one value. */
  List<JsonNode> allowed(String name, JsonNode raw) {
    var schema = document.resolved(raw);
    if (schema.has("enum")) {
      return OpenApiDocument.stream(schema.get("enum")).toList();
    }
    var values = new ArrayList<JsonNode>();
    switch (type(schema)) {
      case "boolean" -> values.addAll(List.of(BooleanNode.TRUE, BooleanNode.FALSE));
      case "integer" -> {
        values.add(LongNode.valueOf(schema.path("minimum").asLong(0)));
        if (schema.has("maximum")) {
          values.add(LongNode.valueOf(schema.get("maximum").asLong()));
        }
      }
      case "number" -> values.add(NODES.numberNode(schema.path("minimum").asDouble(0)));
      case "array" -> {
        var items = allowed(name, schema.get("items"));
        items.forEach(item -> values.add(NODES.arrayNode().add(item)));
        values.add(NODES.arrayNode().addAll(items));
      }
      case "object" -> values.add(object(schema, true));
      case "string" -> values.add(TextNode.valueOf(text(name, schema)));
      default -> values.add(NODES.objectNode().put("any", "thing"));
    }
    return values;
  }

  /** A value of another type, and values just outside of each bound. */
  List<JsonNode> refused(JsonNode raw) {
    var schema = document.resolved(raw);
    if (schema.has("enum") || schema.path("format").asText().equals("date-time")) {
      return List.of(TextNode.valueOf("no_such_word"));
    }
    var values = new ArrayList<JsonNode>();
    switch (type(schema)) {
      case "boolean" -> values.add(TextNode.valueOf("maybe"));
      case "integer" -> {
        values.add(TextNode.valueOf("ten"));
        values.add(NODES.numberNode(1.5));
        if (schema.has("minimum")) {
          values.add(LongNode.valueOf(schema.get("minimum").asLong() - 1));
        }
        if (schema.has("maximum")) {
          values.add(LongNode.valueOf(schema.get("maximum").asLong() + 1));
        }
      }
      case "number" -> {
        values.add(TextNode.valueOf("ten"));
        if (schema.has("minimum")) {
          values.add(NODES.numberNode(schema.get("minimum").asDouble() - 0.5));
        }
      }
      case "array", "object" -> {
        values.add(LongNode.valueOf(7));
        if (schema.has("maxItems")) {
          var item = allowed("", schema.get("items")).getFirst();
          var tooMany = NODES.arrayNode();
          for (int i = 0; i <= schema.get("maxItems").asInt(); i++) {
            tooMany.add(item);
          }
          values.add(tooMany);
        }
      }
      case "string" -> {
        values.add(LongNode.valueOf(7));
        if (schema.has("maxLength")) {
          values.add(TextNode.valueOf("x".repeat(schema.get("maxLength").asInt() + 1)));
        }
        if (schema.path("pattern").asText().startsWith("^")) {
          values.add(TextNode.valueOf("\u00fc"));
        }
      }
      default -> {}
    }
    return values;
  }

  /** An object with the required fields, or with all that can be filled in independently. */
  ObjectNode object(JsonNode raw, boolean full) {
    var schema = document.resolved(raw);
    var required = OpenApiDocument.stream(schema.path("required")).map(JsonNode::asText).toList();
    var result = NODES.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(field -> {
          var name = field.getKey();
          if (required.contains(name)) {
            result.set(name, allowed(name, field.getValue()).getFirst());
          } else if (full) {
            result.set(
                name,
                isReference(name)
                    ? NullNode.getInstance()
                    : allowed(name, field.getValue()).getLast());
          }
        });
    return result;
  }

  /** Fields that must name something that exists, or that need a secret of a special form. */
  static boolean isReference(String name) {
    return name.endsWith("session_id") || name.equals("secret");
  }

  private static String text(String name, ObjectNode schema) {
    var pattern = schema.path("pattern").asText();
    if (pattern.endsWith("{32}$")) {
      return pattern.substring(1, pattern.indexOf('[')) + DIGITS;
    }
    if (schema.path("format").asText().equals("date-time")) {
      return "2026-01-31T12:00:00Z";
    }
    return TEXTS.getOrDefault(name, "sample");
  }

  /** The type beside null. */
  private static String type(ObjectNode schema) {
    var type = schema.path("type");
    return type.isArray() ? type.get(0).asText() : type.asText();
  }
}
