package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.OpenApiDocument.Operation;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Requests made from the document: one with what is required, and variations of it. */
final class SampleRequests {

  private static final String WAIT = "Prefer";

  private final OpenApiDocument document;
  private final SampleValues values;
  private final UnaryOperator<String> ids;

  /**
   * @param ids an existing value for the path parameter of a path
   */
  SampleRequests(OpenApiDocument document, UnaryOperator<String> ids) {
    this.document = document;
    this.values = new SampleValues(document);
    this.ids = ids;
  }

  /**
   * @param allowed whether the document allows the request
   */
  record Sample(
      Operation operation,
      Map<String, String> path,
      Map<String, String> query,
      Map<String, String> headers,
      @Nullable JsonNode body,
      boolean allowed) {

    String target() {
      var target = operation.path();
      for (var parameter : path.entrySet()) {
        target = target.replace("{" + parameter.getKey() + "}", encoded(parameter.getValue()));
      }
      var separator = "?";
      for (var parameter : query.entrySet()) {
        target += separator + encoded(parameter.getKey()) + "=" + encoded(parameter.getValue());
        separator = "&";
      }
      return target;
    }

    private Sample with(String in, String name, String value, boolean allows) {
      return new Sample(
          operation,
          in.equals("path") ? plus(path, name, value) : path,
          in.equals("query") ? plus(query, name, value) : query,
          in.equals("header") ? plus(headers, name, value) : headers,
          body,
          allows);
    }

    private Sample with(@Nullable JsonNode other, boolean allows) {
      return new Sample(operation, path, query, headers, other, allows);
    }

    private static Map<String, String> plus(Map<String, String> from, String name, String value) {
      var result = new LinkedHashMap<>(from);
      result.put(name, value);
      return result;
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
      return operation.method() + " " + target() + " " + headers + " " + body;
    }
  }

  List<Sample> of(Operation operation) {
    var base = base(operation);
    var samples = new ArrayList<>(List.of(base));
    for (var parameter : operation.parameters()) {
      var in = parameter.get("in").asText();
      var name = parameter.get("name").asText();
      var schema = parameter.get("schema");
      values
          .allowed(name, schema)
          .forEach(value -> samples.add(base.with(in, name, text(value), true)));
      if (in.equals("query")) {
        samples.add(base.with(in, name, "", parameter.path("allowEmptyValue").asBoolean()));
      }
      values.refused(schema).stream()
          .filter(value -> !isText(schema) || value.isTextual())
          .filter(value -> !in.equals("header") || isAscii(text(value)))
          .forEach(value -> samples.add(base.with(in, name, text(value), false)));
    }
    var body = document.bodySchema(operation);
    if (body != null) {
      samples.addAll(bodies(base, body));
    }
    return samples;
  }

  /** The request with what is required. */
  Sample base(Operation operation) {
    var path = new LinkedHashMap<String, String>();
    var headers = new LinkedHashMap<String, String>();
    for (var parameter : operation.parameters()) {
      var name = parameter.get("name").asText();
      if (parameter.get("in").asText().equals("path")) {
        path.put(name, name.equals("seq") ? "1" : ids.apply(operation.path()));
      }
      if (name.equals(WAIT)) {
        headers.put(WAIT, "wait=0");
      }
    }
    var body = document.bodySchema(operation);
    return new Sample(
        operation, path, Map.of(), headers, body == null ? null : values.object(body, false), true);
  }

  private List<Sample> bodies(Sample base, ObjectNode schema) {
    var minimal = values.object(schema, false);
    var full = values.object(schema, true);
    var samples = new ArrayList<Sample>();
    samples.add(base.with(full, true));
    samples.add(base.with(JsonNodeFactory.instance.arrayNode(), false));
    samples.add(base.with(full.deepCopy().put("no_such_field", 1), false));
    for (var field : schema.path("properties").properties()) {
      var name = field.getKey();
      var rule = field.getValue();
      if (!SampleValues.isReference(name)) {
        values
            .allowed(name, rule)
            .forEach(value -> samples.add(base.with(plus(minimal, name, value), true)));
      }
      values
          .refused(rule)
          .forEach(value -> samples.add(base.with(plus(minimal, name, value), false)));
    }
    minimal
        .fieldNames()
        .forEachRemaining(name -> {
          var without = minimal.deepCopy();
          without.remove(name);
          samples.add(base.with(without, false));
        });
    return samples;
  }

  private static ObjectNode plus(ObjectNode body, String name, JsonNode value) {
    var result = body.deepCopy();
    result.set(name, value);
    return result;
  }

  /** The HTTP client replaces any other character of a header. */
  private static boolean isAscii(String text) {
    return text.chars().allMatch(character -> character < 128);
  }

  private boolean isText(JsonNode schema) {
    return document.resolved(schema).path("type").asText().equals("string");
  }

  /** In a URL or a header each value is a text; an array is separated by commas. */
  private static String text(JsonNode value) {
    return value.isArray()
        ? OpenApiDocument.stream(value).map(JsonNode::asText).collect(Collectors.joining(","))
        : value.asText();
  }
}
