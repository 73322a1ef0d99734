package dev.errand.api.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jspecify.annotations.Nullable;

/**
 * Completes the schemas of records in the OpenAPI document: a component with {@link Nullable} may
 * be null or absent, every other component is required. Runs when the application is built, because
 * type annotations are known to the index only.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class RecordSchemas implements OASFilter {

  private static final DotName RECORD = DotName.createSimple(Record.class);
  private static final DotName NULLABLE = DotName.createSimple(Nullable.class);
  private static final DotName JSON_PROPERTY = DotName.createSimple(JsonProperty.class);
  private static final DotName JSON_INCLUDE = DotName.createSimple(JsonInclude.class);

  private final List<ClassInfo> records;

  public RecordSchemas(IndexView index) {
    this.records =
        index.getKnownClasses().stream()
            .filter(type -> RECORD.equals(type.superName()))
            .sorted(Comparator.comparing(ClassInfo::simpleName).reversed())
            .toList();
  }

  @Override
  public void filterOpenAPI(OpenAPI document) {
    document
        .getComponents()
        .getSchemas()
        .forEach(
            (name, schema) -> recordOf(name, schema).ifPresent(type -> complete(schema, type)));
  }

  /** The record that a schema describes: {@code PageTaskView} describes the record Page. */
  private Optional<ClassInfo> recordOf(String name, Schema schema) {
    if (schema.getProperties() == null) {
      return Optional.empty();
    }
    var properties = schema.getProperties().keySet();
    return records.stream()
        .filter(type -> name.startsWith(type.simpleName()))
        .filter(type ->
            type.recordComponents().stream()
                .map(RecordSchemas::property)
                .collect(Collectors.toSet())
                .equals(properties))
        .findFirst();
  }

  private static void complete(Schema schema, ClassInfo type) {
    schema.getProperties().values().forEach(RecordSchemas::removeTypeOfReference);
    for (var component : type.recordComponents()) {
      var property = property(component);
      if (!component.type().hasAnnotation(NULLABLE)) {
        if (schema.getRequired() == null || !schema.getRequired().contains(property)) {
          schema.addRequired(property);
        }
      } else if (!type.hasDeclaredAnnotation(JSON_INCLUDE)) {
        var known = Objects.requireNonNull(schema.getProperties().get(property));
        schema.addProperty(property, nullable(known));
      }
    }
  }

  /** The generator adds the type object to a reference, which contradicts an enum. */
  private static void removeTypeOfReference(Schema schema) {
    if (schema.getRef() != null) {
      schema.setType(null);
    }
  }

  private static String property(RecordComponentInfo component) {
    var named = component.declaringClass().field(component.name()).annotation(JSON_PROPERTY);
    return named == null
        ? SnakeCaseStrategy.INSTANCE.translate(component.name())
        : named.value().asString();
  }

  private static Schema nullable(Schema schema) {
    if (schema.getType() != null && schema.getEnumeration() == null) {
      return schema.addType(Schema.SchemaType.NULL);
    }
    var none = OASFactory.createSchema().addType(Schema.SchemaType.NULL);
    return OASFactory.createSchema().anyOf(List.of(schema, none));
  }
}
