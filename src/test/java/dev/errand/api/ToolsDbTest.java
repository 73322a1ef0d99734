package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.errand.kit.AnthropicStub;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.SchemaRules;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Definitions of tools for agents whose loop runs elsewhere. */
@QuarkusTest
class ToolsDbTest implements Story {

  /** The keywords that the function schemas of OpenAI and Anthropic have in common. */
  private static final Set<String> KEYWORDS =
      Set.of(
          "type",
          "description",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "enum",
          "minimum",
          "maximum",
          "minLength",
          "maxLength",
          "maxItems");

  /** Draft 2020-12, the one that Anthropic uses. */
  private static final JsonSchema META_SCHEMA =
      JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(SchemaLocation.of(SchemaId.V202012));

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Inject TaskKit kit;

  @ParameterizedTest
  @CsvSource({
    "openai, /function, parameters",
    "anthropic, '', input_schema",
    "mcp, '', inputSchema"
  })
  void everyToolMatchesTheSchemaOfItsFormat(String format, String at, String schema) {
    var session = kit.session(_ -> {});

    var tools = tools(Map.of("session_id", session.toString(), "format", format));

    assertThat(tools).hasSizeGreaterThan(9);
    assertThat(tools)
        .allSatisfy(tool -> {
          var named = tool.at(at);
          assertThat(named.get("name").asText()).matches("^[a-zA-Z0-9_-]{1,64}$");
          assertThat(named.get("description").asText())
              .hasSizeBetween(1, 1_024)
              .doesNotEndWith("…");
          assertThat(named.get(schema).get("type").asText()).isEqualTo("object");
          checkSchema(named.get(schema));
          assertThat(META_SCHEMA.validate(named.get(schema))).isEmpty();
          assertThat(SchemaRules.refusals(named.get(schema))).isEmpty();
        });
  }

  @Test
  void formatsHaveNoOtherFields() {
    assertThat(tools(Map.of()))
        .allSatisfy(tool -> {
          assertThat(fields(tool)).containsExactly("type", "function");
          assertThat(fields(tool.get("function")))
              .containsExactly("name", "description", "parameters");
        });
    assertThat(tools(Map.of("format", "anthropic")))
        .allSatisfy(tool ->
            assertThat(fields(tool)).containsExactly("name", "description", "input_schema"));
    assertThat(tools(Map.of("format", "mcp")))
        .allSatisfy(tool ->
            assertThat(fields(tool))
                .containsExactly("name", "description", "title", "inputSchema", "annotations"));
  }

  @Test
  void everyToolOfTheServiceHasATitleForPeople() {
    var session = kit.session(_ -> {});

    var tools = tools(Map.of("session_id", session.toString(), "format", "mcp"));

    assertThat(tools)
        .allSatisfy(tool -> assertThat(tool.path("title").asText()).matches("[A-Z][a-z -]{3,30}"));
  }

  @Test
  void answerCanBeSentToAModelUnchanged() {
    var openAi = request(Map.of());
    var anthropic = request(Map.of("format", "anthropic"));

    assertThat(new OpenAiStub().tools(openAi)).isEqualTo(names(Map.of())).contains("task");
    assertThat(new AnthropicStub().tools(anthropic)).isEqualTo(names(Map.of()));
  }

  @Test
  void withoutASessionTheToolsForDelegationAreReturned() {
    assertThat(names(Map.of()))
        .contains("task", "task_output", "task_cancel")
        .isSubsetOf("task", "task_output", "task_cancel", "task_list", "task_apply", "spawn");
  }

  @Test
  void externalSessionGetsTheToolsForDelegation() {
    assertThat(names(Map.of("session_id", kit.externalSession().toString())))
        .contains("task")
        .doesNotContain("read");
  }

  @Test
  void sessionGetsOnlyPermittedTools() {
    var rule = Map.of("permission", "task", "pattern", "*", "action", "deny");
    var session = kit.session(Map.of("permissions", List.of(rule)), _ -> {});

    assertThat(names(Map.of("session_id", session.toString())))
        .contains("read", "task_output")
        .doesNotContain("task");
  }

  @Test
  void descriptionListsThePermittedAgentsWithTheirTools() {
    var noExplore = Map.of("permission", "task", "pattern", "Explore", "action", "deny");
    var noWrite = Map.of("permission", "write", "pattern", "*", "action", "deny");
    var session = kit.session(Map.of("permissions", List.of(noExplore, noWrite)), _ -> {});

    var whole = task(Map.of());
    var narrow = task(Map.of("session_id", session.toString()));

    assertThat(agents(whole))
        .containsPattern("- general: .* Tools: .*write")
        .containsPattern("- explore: .* Tools: glob, grep, list, read")
        .contains("- plan: ")
        .doesNotContain("- primary");
    assertThat(agents(narrow))
        .containsPattern("- general: .* Tools: .*read")
        .contains("- plan: ")
        .doesNotContain("explore", " write,");
  }

  private static String agents(JsonNode task) {
    return task.at("/function/parameters/properties/subagent_type/description").asText();
  }

  @Test
  void mcpFormatMarksReadOnlyTools() {
    var tools = tools(Map.of("format", "mcp"));

    assertThat(tools)
        .filteredOn(tool -> tool.get("name").asText().equals("task_output"))
        .singleElement()
        .satisfies(tool -> assertThat(tool.at("/annotations/readOnlyHint").asBoolean()).isTrue());
    assertThat(tools)
        .filteredOn(tool -> tool.get("name").asText().equals("task"))
        .singleElement()
        .satisfies(tool -> assertThat(tool.at("/annotations/readOnlyHint").asBoolean()).isFalse());
  }

  @Test
  void unknownFormatIsRefused() {
    given()
        .get("/v1/tools?format=xml")
        .then()
        .statusCode(400)
        .contentType("application/problem+json")
        .body("errors[0].field", equalTo("format"))
        .body("errors[0].message", equalTo("must be one of openai, anthropic, mcp"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "ses_00000000000000000000000000000000"})
  void unknownSessionIsNotFound(String session) {
    given().get("/v1/tools?session_id=" + session).then().statusCode(404);
  }

  /** At every depth: only keywords that all providers know, and all required fields declared. */
  private static void checkSchema(JsonNode schema) {
    assertThat(KEYWORDS).containsAll(fields(schema));
    schema
        .path("required")
        .forEach(name -> assertThat(fields(schema.get("properties"))).contains(name.asText()));
    schema.path("properties").forEach(ToolsDbTest::checkSchema);
    if (schema.has("items")) {
      checkSchema(schema.get("items"));
    }
  }

  private static JsonNode task(Map<String, String> parameters) {
    return tools(parameters).stream()
        .filter(tool -> tool.at("/function/name").asText().equals("task"))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(Map<String, String> parameters) {
    return tools(parameters).stream().map(tool -> tool.at("/function/name").asText()).toList();
  }

  private static List<String> fields(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }

  private static List<JsonNode> tools(Map<String, String> parameters) {
    return request(parameters).get("tools").valueStream().toList();
  }

  private static JsonNode request(Map<String, String> parameters) {
    var answer =
        given()
            .queryParams(parameters)
            .get("/v1/tools")
            .then()
            .statusCode(200)
            .extract()
            .asString();
    try {
      return JSON.readTree(answer);
    } catch (JsonProcessingException fault) {
      throw new AssertionError(fault);
    }
  }
}
