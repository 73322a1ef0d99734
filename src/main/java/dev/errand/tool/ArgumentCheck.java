package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.DisallowSchemaLoader;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/**
 * Validates JSON objects against one JSON Schema (draft 2020-12). Thread-safe; create one per
 * schema. A schema that refers to another document is refused, because nothing is fetched.
 */
public final class ArgumentCheck {

  private static final int MAX_PROBLEMS = 20;

  private static final BinaryOperator<FieldProblem> FIRST = (first, later) -> first;

  private static final JsonSchemaFactory FACTORY =
      JsonSchemaFactory.getInstance(
          VersionFlag.V202012,
          factory ->
              factory.schemaLoaders(loaders -> loaders.add(DisallowSchemaLoader.getInstance())));

  private static final SchemaValidatorsConfig CONFIG =
      SchemaValidatorsConfig.builder().locale(Locale.ENGLISH).build();

  private final JsonSchema schema;
  private final SchemaMessage message;

  public ArgumentCheck(ObjectNode schema) {
    this(schema, CONFIG);
  }

  ArgumentCheck(ObjectNode schema, SchemaValidatorsConfig config) {
    var copy = schema.deepCopy();
    this.schema = FACTORY.getSchema(copy, config);
    this.message = new SchemaMessage(copy);
  }

  /**
   * Returns at most one problem per field and 20 in total, sorted by field; empty if the arguments
   * are valid.
   */
  public List<FieldProblem> problems(ObjectNode arguments) {
    return firstOfEachField(schema.validate(arguments)).stream()
        .sorted((one, other) -> one.field().compareTo(other.field()))
        .limit(MAX_PROBLEMS)
        .toList();
  }

  private Collection<FieldProblem> firstOfEachField(Collection<ValidationMessage> found) {
    return found.stream()
        .map(message::problem)
        .collect(Collectors.toMap(FieldProblem::field, problem -> problem, FIRST))
        .values();
  }
}
