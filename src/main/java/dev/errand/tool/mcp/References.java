package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;

/**
 * Replaces the references in a schema by their targets, because not all providers follow
 * references. A recursive schema accepts anything below a certain depth.
 */
final class References {

  private static final int MAX_DEPTH = 5;
  private static final int MAX_NODES = 20_000;

  private final ObjectNode root;
  private int nodes;

  private References(ObjectNode root) {
    this.root = root;
  }

  /**
   * @throws IllegalArgumentException a target is not in the schema, or the result is too large; the
   *     message is part of a sentence
   */
  static ObjectNode resolved(ObjectNode schema) {
    var resolved = (ObjectNode) new References(schema).resolved(schema, MAX_DEPTH);
    resolved.remove("$defs");
    resolved.remove("definitions");
    return resolved;
  }

  private JsonNode resolved(JsonNode node, int depth) {
    if (++nodes > MAX_NODES) {
      throw new IllegalArgumentException("is too large with its references resolved");
    }
    return switch (node) {
      case ArrayNode array -> {
        var copy = JsonNodeFactory.instance.arrayNode();
        array.forEach(element -> copy.add(resolved(element, depth)));
        yield copy;
      }
      case ObjectNode object when object.get("$ref") instanceof TextNode ref ->
          depth == 0 ? JsonNodeFactory.instance.objectNode() : target(object, ref, depth);
      case ObjectNode object -> {
        var copy = JsonNodeFactory.instance.objectNode();
        object
            .properties()
            .forEach(field -> copy.set(field.getKey(), resolved(field.getValue(), depth)));
        yield copy;
      }
      default -> node;
    };
  }

  /** Merges the target with the other fields of the referring object. */
  private JsonNode target(ObjectNode object, TextNode ref, int depth) {
    var name = ref.asText();
    var target = name.startsWith("#") ? root.at(name.substring(1)) : null;
    if (!(target instanceof ObjectNode found)) {
      throw new IllegalArgumentException("has a reference to something outside of it");
    }
    var whole = object.deepCopy();
    whole.remove("$ref");
    found.properties().forEach(field -> whole.putIfAbsent(field.getKey(), field.getValue()));
    return resolved(whole, depth - 1);
  }
}
