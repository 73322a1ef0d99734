package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.ToolDefinition;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts tool definitions for langchain4j. Only the outermost object is converted; the schema of
 * each parameter is passed on unchanged, so that no keyword is lost.
 */
final class ToolSchemas {

  private ToolSchemas() {}

  static ToolSpecification specification(ToolDefinition tool) {
    var schema = tool.parameters();
    return ToolSpecification.builder()
        .name(tool.name())
        .description(tool.description())
        .parameters(
            JsonObjectSchema.builder()
                .addProperties(elements(schema.path("properties")))
                .required(texts(schema.path("required")))
                .definitions(elements(schema.path("$defs")))
                .additionalProperties(schema.path("additionalProperties").asBoolean(true))
                .build())
        .build();
  }

  private static Map<String, JsonSchemaElement> elements(JsonNode schemas) {
    var elements = new LinkedHashMap<String, JsonSchemaElement>();
    schemas
        .properties()
        .forEach(
            named -> elements.put(named.getKey(), JsonRawSchema.from(named.getValue().toString())));
    return elements;
  }

  private static List<String> texts(JsonNode array) {
    var texts = new ArrayList<String>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
