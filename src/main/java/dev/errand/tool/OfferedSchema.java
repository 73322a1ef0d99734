package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The schema of a tool as models get it: without what some provider refuses, because one such
 * schema spoils the whole request. It accepts at least what the tool's own schema accepts, which
 * arguments are checked against. What a model has to know all the same is said in a description.
 *
 * <pre>
 * what is refused                        by                     seen in                            offered instead
 * array without items                    OpenAI, Gemini         mark3labs/mcphost#35               items: {}
 * at the top, an object without          OpenAI, LM Studio      openai/openai-agents-python#449    properties: {}
 *   properties
 * at the top, anyOf, oneOf, allOf,       OpenAI, Anthropic      nspady/google-calendar-mcp#39      one object ({@link ObjectUnion})
 *   enum, const, not
 * type beside anyOf                      Moonshot               MoonshotAI/kimi-code#2661          the type in each branch
 * required without such a property       Gemini                 anomalyco/opencode#3140            the property: {}
 * at the top, names such as filter[id]   Anthropic              beautyfree/appstore-connect-mcp#2  words ({@link UnlistedFields})
 * items that are a list                  Anthropic              tadata-org/fastapi_mcp#218         prefixItems
 * exclusiveMinimum: true                 Anthropic              tadata-org/fastapi_mcp#218         exclusiveMinimum: 5
 * true or false as a schema              llama.cpp, Ollama      mezmo/aura#358                     {}
 * a branch {"not": {}}                   llama.cpp              ggml-org/llama.cpp#17574           the other branches
 * pattern                                llama.cpp, LM Studio   ggml-org/llama.cpp#26930           words
 * lengths of 2,000 and more              llama.cpp, LM Studio   lemonade-sdk/lemonade#2691         no limit
 * $schema, $id, $ref, $defs              Gemini, Anthropic      GetStream/Vision-Agents#513        nothing
 * </pre>
 */
public final class OfferedSchema {

  /** From here on, llama.cpp refuses the grammar that it makes of a schema. */
  private static final int TOO_LONG = 2_000;

  private final ObjectNode given;
  private final ObjectNode offered = JsonNodeFactory.instance.objectNode();
  private final List<String> words = new ArrayList<>();

  private OfferedSchema(ObjectNode given) {
    this.given = given;
  }

  /**
   * Returns a new schema.
   *
   * @param own the schema of the tool, with its references resolved
   */
  public static ObjectNode of(ObjectNode own) {
    var root = UnlistedFields.said(ObjectUnion.flattened(own));
    var offered = schema(root);
    if (ObjectUnion.mayBeObject(root)) {
      offered.put("type", "object");
      offered.withObjectProperty("properties");
    }
    return offered;
  }

  private static ObjectNode schema(JsonNode given) {
    return given instanceof ObjectNode schema
        ? new OfferedSchema(UnionTypes.inBranches(ObjectUnion.plain(schema))).written()
        : JsonNodeFactory.instance.objectNode();
  }

  private ObjectNode written() {
    given.properties().forEach(field -> set(field.getKey(), field.getValue()));
    addItems();
    addRequired();
    SchemaWords.describe(offered, given.path("description"), words);
    return offered;
  }

  private void set(String keyword, JsonNode value) {
    switch (keyword) {
      case "properties", "patternProperties", "dependentSchemas" ->
          offered.set(keyword, named(value));
      case "items" -> setItems(value);
      case "contains", "propertyNames", "not", "if", "then", "else" ->
          offered.set(keyword, schema(value));
      case "additionalProperties" ->
          offered.set(keyword, value.isBoolean() ? value : schema(value));
      case "anyOf", "oneOf" -> setBranches(keyword, value);
      case "allOf", "prefixItems" -> offered.set(keyword, each(value));
      case "pattern" -> SchemaWords.ofPattern(value.asText()).ifPresent(words::add);
      case "minLength", "maxLength", "minItems", "maxItems" -> {
        if (value.asLong() < TOO_LONG) {
          offered.set(keyword, value);
        }
      }
      case "exclusiveMinimum" -> setExclusive(keyword, "minimum", value);
      case "exclusiveMaximum" -> setExclusive(keyword, "maximum", value);
      case "minimum", "maximum" -> {
        if (!given.path(exclusive(keyword)).asBoolean()) {
          offered.set(keyword, value);
        }
      }
      case "description", "definitions", "additionalItems" -> {}
      default -> {
        if (!keyword.startsWith("$")) {
          offered.set(keyword, value);
        }
      }
    }
  }

  /** A field for which no value is valid is not offered. */
  private static JsonNode named(JsonNode schemas) {
    if (!(schemas instanceof ObjectNode)) {
      return schemas;
    }
    var fitted = JsonNodeFactory.instance.objectNode();
    schemas
        .properties()
        .forEach(field -> {
          if (!isNothing(field.getValue())) {
            fitted.set(field.getKey(), schema(field.getValue()));
          }
        });
    return fitted;
  }

  /** Converts {@code items}: until draft 2019-09, a list described the first elements. */
  private void setItems(JsonNode value) {
    if (value.isArray()) {
      offered.set("prefixItems", each(value));
    } else {
      offered.set("items", schema(value));
    }
  }

  private void setBranches(String keyword, JsonNode value) {
    var branches = JsonNodeFactory.instance.arrayNode();
    value
        .valueStream()
        .filter(branch -> !isNothing(branch))
        .map(OfferedSchema::schema)
        .forEach(branches::add);
    if (!branches.isEmpty()) {
      offered.set(keyword, branches);
    }
  }

  private static ArrayNode each(JsonNode schemas) {
    var fitted = JsonNodeFactory.instance.arrayNode();
    schemas.forEach(schema -> fitted.add(schema(schema)));
    return fitted;
  }

  /**
   * Converts an exclusive limit: until draft 4, it said of the other limit that it is exclusive.
   */
  private void setExclusive(String keyword, String limit, JsonNode value) {
    if (!value.isBoolean()) {
      offered.set(keyword, value);
    } else if (value.asBoolean() && given.has(limit)) {
      offered.set(keyword, given.get(limit));
    }
  }

  private static String exclusive(String limit) {
    return limit.equals("minimum") ? "exclusiveMinimum" : "exclusiveMaximum";
  }

  private void addItems() {
    var isArray = UnionTypes.names(given.path("type")).contains("array");
    if ((isArray || offered.has("prefixItems")) && !offered.has("items")) {
      offered.putObject("items");
    }
  }

  private void addRequired() {
    if (offered.path("required").isArray() && !offered.get("required").isEmpty()) {
      var properties = offered.withObjectProperty("properties");
      offered
          .get("required")
          .forEach(
              name -> properties.putIfAbsent(name.asText(), JsonNodeFactory.instance.objectNode()));
    }
  }

  /** Returns whether a schema accepts no value: {@code false} or {@code {"not": {}}}. */
  private static boolean isNothing(JsonNode schema) {
    if (schema.isBoolean()) {
      return !schema.asBoolean();
    }
    var not = schema.path("not");
    return schema.size() == 1 && (not.isObject() ? not.isEmpty() : not.asBoolean());
  }
}
