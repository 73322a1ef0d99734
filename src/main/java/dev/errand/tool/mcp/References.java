package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;

/**
 * Puts into a schema what it refers to: not all providers follow references, or are even sent what
 * they refer to. What refers to itself is open from some depth on.
 */
final class References {

  private static final int DEEPEST = 5;
  private static final int MOST_NODES = 20_000;

  private final ObjectNode root;
  private int nodes;

  private References(ObjectNode root) {
    this.root = root;
  }

  /**
   * @throws IllegalArgumentException it refers to what is not in it, or would become too large; the
   *     message is part of a sentence
   */
  static ObjectNode resolved(ObjectNode schema) {
    var resolved = (ObjectNode) new References(schema).resolved(schema, DEEPEST);
    resolved.remove("$defs");
    resolved.remove("definitions");
    return resolved;
  }

  private JsonNode resolved(JsonNode node, int depth) {
    if (++nodes > MOST_NODES) {
      throw new IllegalArgumentException("is too large with all it refers to");
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

  /** What stands beside a reference counts as well. */
  private JsonNode target(ObjectNode object, TextNode ref, int depth) {
    var name = ref.asText();
    var target = name.startsWith("#") ? root.at(name.substring(1)) : null;
    if (!(target instanceof ObjectNode found)) {
      throw new IllegalArgumentException("refers to what is not in it");
    }
    var whole = object.deepCopy();
    whole.remove("$ref");
    found.properties().forEach(field -> whole.putIfAbsent(field.getKey(), field.getValue()));
    return resolved(whole, depth - 1);
  }
}
