package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The OpenAPI document that the service serves: its operations and its schemas. */
final class OpenApiDocument {

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);
  private static final SchemaValidatorsConfig CONFIG =
      SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();

  private final JsonNode document;
  private final Map<JsonNode, JsonSchema> validators = new HashMap<>();

  OpenApiDocument(JsonNode document) {
    this.document = document;
  }

  /** One operation; {@code definition} is its object in the document. */
  record Operation(String method, String path, JsonNode definition) {

    List<JsonNode> parameters() {
      return stream(definition.path("parameters")).toList();
    }

    /** The response that is documented for a status; empty for one without documentation. */
    Optional<JsonNode> response(int status) {
      return Optional.ofNullable(definition.path("responses").get(Integer.toString(status)));
    }

    @Override
    public String toString() {
      return method.toUpperCase(Locale.ROOT) + " " + path;
    }
  }

  List<Operation> operations() {
    var found = new ArrayList<Operation>();
    for (var path : document.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        found.add(new Operation(operation.getKey(), path.getKey(), inlined(operation.getValue())));
      }
    }
    return found;
  }

  /** The operation with the parameters and the responses that it refers to in their places. */
  private JsonNode inlined(JsonNode operation) {
    var result = (ObjectNode) operation.deepCopy();
    var parameters = result.putArray("parameters");
    operation.path("parameters").forEach(one -> parameters.add(target(one)));
    var responses = result.putObject("responses");
    operation
        .path("responses")
        .properties()
        .forEach(one -> responses.set(one.getKey(), target(one.getValue())));
    return result;
  }

  private JsonNode target(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
  }

  /** The named schemas. */
  Map<String, JsonNode> schemas() {
    return document.at("/components/schemas").properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The schema of a request body; null for an operation without one. */
  @Nullable ObjectNode bodySchema(Operation operation) {
    var schema = operation.definition().at("/requestBody/content/application~1json/schema");
    return schema.isMissingNode() ? null : resolved(schema);
  }

  /** The schema with its references replaced one level deep, and the parts of allOf merged. */
  ObjectNode resolved(JsonNode schema) {
    var result = JsonNodeFactory.instance.objectNode();
    if (schema.has("$ref")) {
      return resolved(target(schema));
    }
    parts(schema)
        .forEach(part -> {
          var from = resolved(part);
          var properties = result.withObject("/properties");
          from.path("properties")
              .properties()
              .forEach(one -> properties.set(one.getKey(), one.getValue()));
          var required = result.withArray("/required");
          from.path("required").forEach(required::add);
          from.properties().stream()
              .filter(one -> !result.has(one.getKey()))
              .forEach(one -> result.set(one.getKey(), one.getValue()));
        });
    schema.properties().stream()
        .filter(one -> !result.has(one.getKey()))
        .forEach(one -> result.set(one.getKey(), one.getValue()));
    return result;
  }

  private static Stream<JsonNode> parts(JsonNode schema) {
    return Stream.concat(
        stream(schema.path("allOf")),
        stream(schema.path("anyOf")).filter(part -> !part.path("type").asText().equals("null")));
  }

  /** What is wrong with an answer by this schema; empty when it fits. */
  List<String> problems(JsonNode schema, JsonNode answer) {
    return validators.computeIfAbsent(schema, this::validator).validate(answer).stream()
        .map(ValidationMessage::toString)
        .toList();
  }

  private JsonSchema validator(JsonNode schema) {
    var whole = ((ObjectNode) schema).deepCopy();
    whole.set("components", document.get("components"));
    return FACTORY.getSchema(whole, CONFIG);
  }

  static Stream<JsonNode> stream(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
