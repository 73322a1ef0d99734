package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The schema of a server's tool as it can be shown to models. It goes through as it is, but for
 * {@code definitions}, which are called {@code $defs} today. A provider refuses the whole request
 * for one bad schema; so one that providers are known to refuse is replaced by one that takes any
 * object.
 */
record InputSchema(ObjectNode schema, Optional<String> problem) {

  private static final int MAX_CHARS = 50_000;

  private static final Pattern PROPERTY = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final JsonSchema META =
      JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(SchemaLocation.of(SchemaId.V202012));

  static InputSchema of(Map<String, Object> given) {
    var schema = JSON.<ObjectNode>valueToTree(given);
    try {
      var usable = withOuterObject(withDefs(schema));
      return problem(usable)
          .map(InputSchema::any)
          .orElseGet(() -> new InputSchema(usable, Optional.empty()));
    } catch (RuntimeException | StackOverflowError odd) {
      return any("cannot be read");
    }
  }

  private static InputSchema any(String problem) {
    var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    schema.putObject("properties");
    return new InputSchema(schema.put("additionalProperties", true), Optional.of(problem));
  }

  private static ObjectNode withDefs(ObjectNode schema) {
    if (schema.get("definitions") instanceof ObjectNode definitions) {
      schema.remove("definitions");
      schema.withObject("/$defs").setAll(definitions);
      schema.findParents("$ref").forEach(parent -> rename((ObjectNode) parent));
    }
    return schema;
  }

  private static void rename(ObjectNode parent) {
    if (parent.get("$ref") instanceof TextNode ref) {
      parent.put("$ref", ref.asText().replaceFirst("^#/definitions/", "#/\\$defs/"));
    }
  }

  /** Models are told of the fields of the outermost object, so it must stand there itself. */
  private static ObjectNode withOuterObject(ObjectNode schema) {
    var ref = schema.path("$ref").asText();
    if (ref.startsWith("#/$defs/") && schema.at(ref.substring(1)) instanceof ObjectNode outer) {
      schema.remove("$ref");
      outer.properties().forEach(field -> schema.putIfAbsent(field.getKey(), field.getValue()));
    }
    if (!schema.has("type")) {
      schema.put("type", "object");
    }
    var properties = schema.withObjectProperty("properties");
    properties.properties().forEach(field -> field.setValue(anything(field.getValue())));
    return schema;
  }

  /** {@code true} is a schema; providers do not all know that. */
  private static JsonNode anything(JsonNode value) {
    return value.isBoolean() ? JsonNodeFactory.instance.objectNode() : value;
  }

  private static Optional<String> problem(ObjectNode schema) {
    if (!schema.path("type").asText().equals("object")) {
      return Optional.of("is not that of an object");
    }
    if (schema.toString().length() > MAX_CHARS) {
      return Optional.of("has more than %d characters".formatted(MAX_CHARS));
    }
    for (var property : schema.path("properties").properties()) {
      if (!PROPERTY.matcher(property.getKey()).matches()) {
        return Optional.of("has fields with names that models' providers refuse");
      }
    }
    for (var ref : schema.findValues("$ref")) {
      if (ref.isTextual() && !resolves(schema, ref.asText())) {
        return Optional.of("refers to what is not in it");
      }
    }
    return META.validate(schema).isEmpty()
        ? Optional.empty()
        : Optional.of("is no JSON Schema of draft 2020-12");
  }

  private static boolean resolves(ObjectNode schema, String ref) {
    return ref.equals("#") || ref.startsWith("#/") && !schema.at(ref.substring(1)).isMissingNode();
  }
}
