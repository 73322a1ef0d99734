package dev.errand.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.errand.task.TaskRequest;
import dev.errand.task.TaskSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The fields of a task are declared once; the OpenAPI document and the request have the same. */
class TaskSchemaDocumentTest {

  private static final Path FILE = Path.of("src/main/resources/openapi.yaml");

  private static final List<String> LIMITS =
      List.of(
          "minLength",
          "maxLength",
          "pattern",
          "minimum",
          "maximum",
          "minItems",
          "maxItems",
          "enum");

  @Test
  void bodyOfARequestHasTheFieldsOfTheTool() throws IOException {
    var document = new OpenApiDocument(new YAMLMapper().readTree(FILE.toFile()));
    var documented =
        JsonNodeFactory.instance.objectNode().put("$ref", "#/components/schemas/TaskRequest");

    assertThat(described(document, documented)).isEqualTo(described(document, TaskSchema.schema()));
  }

  @Test
  void requestHasTheFieldsOfTheTool() {
    var components =
        Arrays.stream(TaskRequest.class.getRecordComponents())
            .map(component -> SnakeCaseStrategy.INSTANCE.translate(component.getName()))
            .toList();
    var declared =
        TaskSchema.schema().get("properties").properties().stream().map(Map.Entry::getKey).toList();

    assertThat(components).containsExactlyInAnyOrderElementsOf(declared);
  }

  /**
   * What a schema says without its words. A body may have nulls, which count as absent, and a text
   * that must not be blank is not empty either.
   */
  private static Map<String, Object> described(OpenApiDocument document, JsonNode schema) {
    var known = document.resolved(schema);
    var found = new TreeMap<String, Object>();
    var type = known.get("type");
    found.put("type", type.isArray() ? type.get(0).asText() : type.asText());
    for (var limit : LIMITS) {
      if (known.has(limit)) {
        found.put(
            limit, limit.equals("enum") ? texts(known.get(limit)) : known.get(limit).asText());
      }
    }
    if (found.containsKey("pattern")) {
      found.remove("minLength", "1");
    }
    if (known.has("items")) {
      found.put("items", described(document, known.get("items")));
    }
    if (!known.path("properties").isEmpty()) {
      found.put("required", texts(known.path("required")));
      found.put(
          "properties",
          known.get("properties").properties().stream()
              .collect(
                  Collectors.toMap(
                      Map.Entry::getKey, field -> described(document, field.getValue()))));
    }
    return found;
  }

  private static TreeSet<String> texts(JsonNode values) {
    return OpenApiDocument.stream(values)
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
