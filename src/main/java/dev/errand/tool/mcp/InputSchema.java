package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.errand.tool.OfferedSchema;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a server's tool. References are resolved; the rest stays unchanged. One that cannot
 * be {@link OfferedSchema offered} is replaced by one that accepts any object.
 *
 * @param problem why the schema was replaced, as part of a sentence; null if it was not
 */
record InputSchema(ObjectNode schema, @Nullable String problem) {

  private static final int MAX_CHARS = 50_000;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final JsonSchema META =
      JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(SchemaLocation.of(SchemaId.V202012));

  static InputSchema of(Map<String, Object> given) {
    var schema = JSON.<ObjectNode>valueToTree(given);
    try {
      var resolved = References.resolved(schema);
      return problem(OfferedSchema.of(resolved))
          .map(InputSchema::any)
          .orElseGet(() -> new InputSchema(resolved, null));
    } catch (IllegalArgumentException unresolved) {
      return any(String.valueOf(unresolved.getMessage()));
    } catch (RuntimeException | StackOverflowError odd) {
      return any("cannot be read");
    }
  }

  private static InputSchema any(String problem) {
    var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    schema.putObject("properties");
    return new InputSchema(schema.put("additionalProperties", true), problem);
  }

  private static Optional<String> problem(ObjectNode schema) {
    if (!schema.path("type").asText().equals("object")) {
      return Optional.of("does not describe an object");
    }
    if (schema.toString().length() > MAX_CHARS) {
      return Optional.of("has more than %d characters".formatted(MAX_CHARS));
    }
    return META.validate(schema).isEmpty()
        ? Optional.empty()
        : Optional.of("is not a JSON Schema of draft 2020-12");
  }

  /**
   * Replaces the references in a schema by their targets, because not all providers follow
   * references. A recursive schema accepts anything below a certain depth.
   */
  private static final class References {

    private static final int MAX_DEPTH = 5;
    private static final int MAX_NODES = 20_000;

    private final ObjectNode root;
    private int nodes;

    private References(ObjectNode root) {
      this.root = root;
    }

    /**
     * @throws IllegalArgumentException a target is not in the schema, or the result is too large;
     *     the message is part of a sentence
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
}
