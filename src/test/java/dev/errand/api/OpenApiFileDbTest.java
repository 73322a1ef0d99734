package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.errand.agent.Isolation;
import dev.errand.api.OpenApiDocument.Operation;
import dev.errand.auth.SessionTokens;
import dev.errand.delegate.ToolFormat;
import dev.errand.event.CloudEvent;
import dev.errand.http.Problem;
import dev.errand.outbox.DeliveryState;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.task.CleanupPolicy;
import dev.errand.task.TaskState;
import dev.errand.task.TaskToolResult;
import dev.errand.task.Thoroughness;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The OpenAPI document is a file that is served as it is, and it describes the code. */
@QuarkusTest
class OpenApiFileDbTest {

  private static final Path FILE = Path.of("src/main/resources/openapi.yaml");

  /** The bodies of requests, except what the tool {@code task} declares. */
  private static final Map<String, Class<?>> READ =
      Map.of(
          "NewCommand", CommandsResource.NewCommand.class,
          "NewKey", KeysResource.NewKey.class,
          "NewMessage", MessagesResource.NewMessage.class,
          "NewPause", PausesResource.NewPause.class,
          "NewSessionBody", NewSessionBody.class,
          "NewToken", SessionTokensResource.NewToken.class,
          "NewToolCall", NewToolCall.class,
          "TaskParent", NewTaskBody.TaskParent.class,
          "TenantBody", TenantBody.class);

  /** What no resource method returns, and the enums that no answer has as their type. */
  private static final Map<String, Class<?>> WRITTEN =
      Map.ofEntries(
          Map.entry("Accepted", MessagesResource.AcceptedMessage.class),
          Map.entry("Cleanup", CleanupPolicy.class),
          Map.entry("CloudEvent", CloudEvent.class),
          Map.entry("DeliveryState", DeliveryState.class),
          Map.entry("Isolation", Isolation.class),
          Map.entry("Made", SessionTokens.CreatedToken.class),
          Map.entry("MadeKey", KeysResource.MadeKey.class),
          Map.entry("Printed", CommandsResource.Printed.class),
          Map.entry("Problem", Problem.class),
          Map.entry("Replied", MessagesResource.Replied.class),
          Map.entry("SessionKind", SessionKind.class),
          Map.entry("SessionState", SessionState.class),
          Map.entry("TaskState", TaskState.class),
          Map.entry("TaskToolResult", TaskToolResult.class),
          Map.entry("Thoroughness", Thoroughness.class),
          Map.entry("ToolCallView", ToolCallsResource.ToolCallView.class),
          Map.entry("ToolFormat", ToolFormat.class));

  @Inject ObjectMapper mapper;
  @Inject BeanManager beans;

  @Test
  void fileIsServedAsItIs() throws IOException {
    assertThat(given().get("/q/openapi").asByteArray()).isEqualTo(Files.readAllBytes(FILE));
  }

  @Test
  void jsonIsTheSameDocument() throws IOException {
    assertThat(served()).isEqualTo(new YAMLMapper().readTree(FILE.toFile()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/q/openapi             | */*                           | application/yaml",
        "/q/openapi             | application/yaml              | application/yaml",
        "/q/openapi             | application/json, */*;q=0.1   | application/json",
        "/q/openapi?format=json | application/yaml              | application/json",
        "/q/openapi?format=YAML | application/json              | application/yaml"
      })
  void formatIsChosenByParameterOrHeader(String path, String accepted, String type) {
    var answer = given().header("Accept", accepted).get(path);

    answer.then().statusCode(200);
    assertThat(answer.contentType()).isEqualTo(type + ";charset=UTF-8");
    assertThat(answer.asString()).startsWith(type.endsWith("json") ? "{\"" : "# The HTTP API");
  }

  @Test
  void everyRouteOfTheServiceIsDocumented() throws IOException {
    var documented = document().operations().stream().map(Object::toString).toList();

    assertThat(documented)
        .hasSizeGreaterThan(40)
        .containsExactlyInAnyOrderElementsOf(
            ResourceRoute.all(beans).stream().map(Object::toString).toList());
  }

  /** Further constraints of a parameter, which code checks, are tried with requests. */
  @Test
  void everyParameterIsDocumentedWithItsDefaultAndConstraints() throws IOException {
    var document = document();

    for (var route : ResourceRoute.all(beans)) {
      var documented = described(document, route).parameters();
      assertThat(documented)
          .as(route.toString())
          .extracting(one -> one.get("in").asText() + " " + one.get("name").asText())
          .containsExactlyInAnyOrderElementsOf(
              route.inputs().stream().map(one -> one.in() + " " + one.name()).toList());
      for (var input : route.inputs()) {
        var parameter =
            documented.stream()
                .filter(one -> one.get("name").asText().equals(input.name()))
                .findFirst()
                .orElseThrow();
        checkParameter(route + " " + input.name(), input, parameter);
      }
    }
  }

  private static void checkParameter(String name, ResourceRoute.Input input, JsonNode documented) {
    var schema = documented.get("schema");
    assertThat(documented.path("required").asBoolean()).as(name).isEqualTo(input.isRequired());
    assertThat(documented.path("allowEmptyValue").asBoolean()).as(name).isEqualTo(input.inQuery());
    assertThat(Constraints.documented(schema))
        .as(name)
        .containsAllEntriesOf(
            Constraints.of(input.type(), schema.has("items") ? "Items" : "Length"));
    if (input.byDefault() != null) {
      assertThat(schema.path("default").asText()).as(name).isEqualTo(input.byDefault());
    }
  }

  @Test
  void everySchemaIsWhatJavaReadsOrWrites() throws IOException {
    var document = document();
    var read = DocumentedTypes.thatAreRead(document, mapper);
    var written = DocumentedTypes.thatAreWritten(document, mapper);

    READ.forEach((name, type) -> read.compare(reference(name), type));
    WRITTEN.forEach((name, type) -> written.compare(reference(name), type));
    for (var route : ResourceRoute.all(beans)) {
      if (route.method().getReturnType().isRecord()) {
        var answer = described(document, route).response(200).orElseThrow();
        var schema = answer.at("/content/application~1json/schema");
        written.compare(schema, route.method().getGenericReturnType());
      }
    }

    assertThat(read.differences()).isEmpty();
    assertThat(written.differences()).isEmpty();
    var others = new TreeMap<>(document.schemas());
    others.values().removeIf(schema -> !schema.has("properties") && !schema.has("enum"));
    others.keySet().removeAll(read.compared());
    others.keySet().removeAll(written.compared());
    assertThat(others).containsOnlyKeys("TaskRequest");
  }

  /** The requests of OpenApiContractDbTest show that the service refuses such a field. */
  @Test
  void everyBodyIsDocumentedWithoutUnknownFields() throws IOException {
    var document = document();
    var bodies =
        document.operations().stream()
            .flatMap(operation ->
                Stream.ofNullable(
                    operation
                        .definition()
                        .at("/requestBody/content/application~1json/schema")
                        .get("$ref")))
            .toList();

    assertThat(bodies).hasSizeGreaterThan(8);
    for (var body : bodies) {
      var problems =
          document.problems(
              mapper.createObjectNode().set("$ref", body),
              mapper.readTree("{\"no_such_field\": 1, \"other\": 2}"));
      assertThat(problems).filteredOn(problem -> problem.contains("no_such_field")).isNotEmpty();
    }
  }

  private JsonNode reference(String schema) {
    return mapper.createObjectNode().put("$ref", "#/components/schemas/" + schema);
  }

  private static Operation described(OpenApiDocument document, ResourceRoute route) {
    return document.operations().stream()
        .filter(operation -> operation.toString().equals(route.toString()))
        .findFirst()
        .orElseThrow();
  }

  private OpenApiDocument document() throws IOException {
    return new OpenApiDocument(served());
  }

  private JsonNode served() throws IOException {
    return mapper.readTree(given().get("/q/openapi?format=json").asString());
  }
}
