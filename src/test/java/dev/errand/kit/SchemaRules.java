package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rules by which providers refuse a request for the schema of a tool: those of OpenAI,
 * Anthropic, Gemini, Moonshot, Ollama and llama.cpp together, because one schema has to fit all.
 */
public final class SchemaRules {

  private static final Set<String> NOT_AT_ROOT =
      Set.of("anyOf", "oneOf", "allOf", "enum", "const", "not");
  private static final List<String> LENGTHS =
      List.of("minLength", "maxLength", "minItems", "maxItems");
  private static final int TOO_LONG = 2_000;

  private final List<String> refusals = new ArrayList<>();

  private SchemaRules() {}

  /** Why one of the providers refuses the schema; empty if all accept it. */
  public static List<String> refusals(JsonNode schema) {
    var rules = new SchemaRules();
    rules.checkRoot(schema);
    rules.check(schema, "");
    return rules.refusals;
  }

  private void checkRoot(JsonNode schema) {
    refuse(!schema.path("type").asText().equals("object"), "no object", "");
    refuse(!schema.path("properties").isObject(), "object schema missing properties", "");
    refuse(NOT_AT_ROOT.stream().anyMatch(schema::has), "a union at the top level", "");
    schema
        .path("properties")
        .fieldNames()
        .forEachRemaining(
            name -> refuse(!name.matches("[a-zA-Z0-9_.-]{1,64}"), "name of a property", name));
  }

  private void check(JsonNode schema, String at) {
    refuse(!schema.isObject(), "a schema that is no object", at);
    var type = schema.path("type");
    var isArray = type.asText().equals("array") || contains(type, "array");
    refuse(isArray && !schema.path("items").isObject(), "array schema missing items", at);
    for (var name : schema.path("required")) {
      refuse(!schema.path("properties").has(name.asText()), "required is not defined", at);
    }
    refuse(schema.has("pattern"), "pattern", at);
    LENGTHS.forEach(
        length -> refuse(schema.path(length).asLong() >= TOO_LONG, "too many repetitions", at));
    refuse(schema.has("type") && hasUnion(schema), "type beside anyOf", at);
    refuse(schema.path("exclusiveMinimum").isBoolean(), "exclusiveMinimum", at);
    refuse(schema.path("not").isObject() && schema.get("not").isEmpty(), "not: {}", at);
    schema.fieldNames().forEachRemaining(keyword -> refuse(keyword.startsWith("$"), keyword, at));
    checkBelow(schema, at);
  }

  private void checkBelow(JsonNode schema, String at) {
    schema
        .path("properties")
        .properties()
        .forEach(field -> check(field.getValue(), at + "/" + field.getKey()));
    if (schema.has("items")) {
      check(schema.get("items"), at + "/items");
    }
    if (schema.path("additionalProperties").isObject()) {
      check(schema.get("additionalProperties"), at + "/additionalProperties");
    }
    Stream.of("anyOf", "oneOf", "allOf", "prefixItems")
        .forEach(
            keyword -> schema.path(keyword).forEach(branch -> check(branch, at + "/" + keyword)));
  }

  private static boolean hasUnion(JsonNode schema) {
    return schema.has("anyOf") || schema.has("oneOf");
  }

  private static boolean contains(JsonNode types, String type) {
    return types.valueStream().anyMatch(one -> one.asText().equals(type));
  }

  private void refuse(boolean broken, String rule, String at) {
    if (broken) {
      refusals.add("schema: " + rule + " at " + (at.isEmpty() ? "the top" : at));
    }
  }
}
