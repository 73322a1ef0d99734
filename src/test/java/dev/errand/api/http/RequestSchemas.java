package dev.errand.api.http;

import static java.util.Objects.requireNonNull;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Says in the OpenAPI document that a query parameter without a value counts as absent, and that
 * unknown fields of a request are refused, as the service does. A schema that answers have, too, is
 * left as it is: a later version may add fields to them.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class RequestSchemas implements OASFilter {

  private static final String REFERENCE = "#/components/schemas/";

  @Override
  public void filterOpenAPI(OpenAPI document) {
    var schemas = document.getComponents().getSchemas();
    var inRequests = new HashSet<String>();
    var inAnswers = new HashSet<String>();
    document.getPaths().getPathItems().values().stream()
        .flatMap(path -> path.getOperations().values().stream())
        .forEach(operation -> {
          parameters(operation).forEach(parameter -> parameter.setAllowEmptyValue(true));
          requests(operation).forEach(schema -> collect(schema, schemas, inRequests));
          answers(operation).forEach(schema -> collect(schema, schemas, inAnswers));
        });
    inRequests.removeAll(inAnswers);
    var parts = new HashSet<String>();
    inRequests.forEach(name -> parts(requireNonNull(schemas.get(name))).forEach(parts::add));
    inRequests.stream()
        .filter(name -> !parts.contains(name))
        .map(schemas::get)
        .forEach(RequestSchemas::close);
  }

  /** The parts of a schema know nothing of each other's fields, so the whole is closed. */
  private static void close(Schema schema) {
    if (schema.getAllOf() != null) {
      schema.setUnevaluatedProperties(OASFactory.createSchema().booleanSchema(false));
    } else if (schema.getProperties() != null && schema.getAdditionalPropertiesSchema() == null) {
      schema.setAdditionalPropertiesSchema(OASFactory.createSchema().booleanSchema(false));
    }
  }

  private static Stream<String> parts(Schema schema) {
    return all(schema.getAllOf()).map(RequestSchemas::name).filter(Objects::nonNull);
  }

  private static Stream<Parameter> parameters(Operation operation) {
    return operation.getParameters() == null
        ? Stream.empty()
        : operation.getParameters().stream()
            .filter(parameter -> parameter.getIn() == Parameter.In.QUERY);
  }

  private static Stream<Schema> requests(Operation operation) {
    return operation.getRequestBody() == null
        ? Stream.empty()
        : schemas(operation.getRequestBody().getContent());
  }

  private static Stream<Schema> answers(Operation operation) {
    return operation.getResponses().getAPIResponses().values().stream()
        .flatMap(response -> schemas(response.getContent()));
  }

  private static Stream<Schema> schemas(@Nullable Content content) {
    return content == null
        ? Stream.empty()
        : content.getMediaTypes().values().stream()
            .flatMap(type -> Stream.ofNullable(type.getSchema()));
  }

  private static void collect(Schema schema, Map<String, Schema> schemas, Set<String> found) {
    var name = name(schema);
    if (name != null && found.add(name)) {
      collect(requireNonNull(schemas.get(name)), schemas, found);
    }
    var properties =
        schema.getProperties() == null ? List.<Schema>of() : schema.getProperties().values();
    Stream.of(
            all(properties),
            all(schema.getAllOf()),
            all(schema.getAnyOf()),
            all(schema.getOneOf()),
            Stream.ofNullable(schema.getItems()),
            Stream.ofNullable(schema.getAdditionalPropertiesSchema()))
        .flatMap(inner -> inner)
        .forEach(inner -> collect(inner, schemas, found));
  }

  private static Stream<Schema> all(@Nullable Collection<Schema> schemas) {
    return schemas == null ? Stream.empty() : schemas.stream();
  }

  private static @Nullable String name(Schema schema) {
    return schema.getRef() == null || !schema.getRef().startsWith(REFERENCE)
        ? null
        : schema.getRef().substring(REFERENCE.length());
  }
}
