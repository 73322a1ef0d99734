package dev.errand.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.tool.file.WorkspaceKit;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArgumentCheckTest {

  private static final ArgumentCheck CHECK = new ArgumentCheck(schema());

  private static ObjectNode schema() {
    var schema =
        ParameterSchema.object()
            .string("name", "A name.")
            .required()
            .text("note", "A note.")
            .integer("limit", "A limit.", 1, 20)
            .bool("all", "All?")
            .enumeration("mode", "A mode.", List.of("fast", "slow"))
            .objects(
                "todos", "Items.", ParameterSchema.object().string("content", "Text.").required())
            .build();
    var tags = schema.withObjectProperty("properties").putObject("tags").put("type", "array");
    tags.putObject("items").put("type", "string").put("minLength", 1);
    return schema;
  }

  @Test
  void validArgumentsHaveNoProblems() {
    assertThat(problems("name", "n")).isEmpty();
    assertThat(
            problems(
                "name",
                "n",
                "note",
                "",
                "limit",
                20,
                "all",
                false,
                "mode",
                "slow",
                "tags",
                List.of("t"),
                "todos",
                List.of(Map.of("content", "c"))))
        .isEmpty();
  }

  @Test
  void everyInvalidFieldIsReportedWithItsCorrection() {
    assertThat(problems("limit", 0, "mode", "medium", "foo", 1, "all", "yes"))
        .containsExactly(
            new FieldProblem("all", "must be a boolean, but is a string"),
            new FieldProblem(
                "foo", "unknown field (known: name, note, limit, all, mode, todos, tags)"),
            new FieldProblem("limit", "must be at least 1"),
            new FieldProblem("mode", "must be one of fast, slow"),
            new FieldProblem("name", "is required"));
  }

  @Test
  void emptyAndBlankStringsAreReported() {
    assertThat(problems("name", "")).containsExactly(new FieldProblem("name", "must not be empty"));
    assertThat(problems("name", " \n"))
        .containsExactly(new FieldProblem("name", "must not be blank"));
  }

  @Test
  void wrongTypeIsReportedWithExpectedAndActualType() {
    assertThat(problems("name", 1, "limit", 1.5, "tags", Map.of(), "note", List.of()))
        .containsExactly(
            new FieldProblem("limit", "must be an integer, but is a number"),
            new FieldProblem("name", "must be a string, but is an integer"),
            new FieldProblem("note", "must be a string, but is an array"),
            new FieldProblem("tags", "must be an array, but is an object"));
  }

  @Test
  void nestedFieldsAreNamedByTheirPath() {
    assertThat(problems("name", "n", "tags", List.of("t", ""), "todos", List.of(Map.of("x", 1))))
        .containsExactly(
            new FieldProblem("tags[1]", "must not be empty"),
            new FieldProblem("todos[0].content", "is required"),
            new FieldProblem("todos[0].x", "unknown field (known: content)"));
  }

  @Test
  void atMostTwentyProblemsAreReported() {
    var many =
        IntStream.range(0, 1_000).boxed().collect(Collectors.toMap(i -> "field" + i, i -> i));

    var problems = CHECK.problems(JsonNodeFactory.instance.objectNode().setAll(nodes(many)));

    assertThat(problems).hasSize(20);
  }

  @Test
  void referencedSchemaIsNotFetched() {
    var schema = JsonNodeFactory.instance.objectNode().put("$ref", "http://127.0.0.1:9/schema");

    assertThatThrownBy(() -> new ArgumentCheck(schema).problems(WorkspaceKit.arguments()))
        .hasMessageContaining("not allowed to be loaded");
  }

  private static List<FieldProblem> problems(Object... namesAndValues) {
    return CHECK.problems(WorkspaceKit.arguments(namesAndValues));
  }

  private static ObjectNode nodes(Map<String, Integer> values) {
    var nodes = JsonNodeFactory.instance.objectNode();
    values.forEach(nodes::put);
    return nodes;
  }
}
