package dev.errand.api;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Field;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares schemas of the document with the Java types that Jackson reads or writes: fields, which
 * of them are required or may be null, types, words of enums, and constraints.
 */
final class DocumentedTypes {

  private static final Map<Class<?>, String> PLAIN =
      Map.ofEntries(
          Map.entry(String.class, "string"),
          Map.entry(Instant.class, "string"),
          Map.entry(boolean.class, "boolean"),
          Map.entry(Boolean.class, "boolean"),
          Map.entry(int.class, "integer int32"),
          Map.entry(Integer.class, "integer int32"),
          Map.entry(long.class, "integer int64"),
          Map.entry(Long.class, "integer int64"),
          Map.entry(Double.class, "number"),
          Map.entry(BigDecimal.class, "number"),
          Map.entry(JsonNode.class, ""),
          Map.entry(ObjectNode.class, "object"),
          Map.entry(Content.class, ""));

  private final OpenApiDocument document;
  private final ObjectMapper mapper;
  private final Function<JavaType, BeanDescription> introspection;
  private final Set<String> compared = new HashSet<>();
  private final List<String> differences = new ArrayList<>();

  private DocumentedTypes(
      OpenApiDocument document,
      ObjectMapper mapper,
      Function<JavaType, BeanDescription> introspection) {
    this.document = document;
    this.mapper = mapper;
    this.introspection = introspection;
  }

  static DocumentedTypes thatAreRead(OpenApiDocument document, ObjectMapper mapper) {
    return new DocumentedTypes(
        document, mapper, type -> mapper.getDeserializationConfig().introspect(type));
  }

  static DocumentedTypes thatAreWritten(OpenApiDocument document, ObjectMapper mapper) {
    return new DocumentedTypes(
        document, mapper, type -> mapper.getSerializationConfig().introspect(type));
  }

  /** The names of the schemas that were compared. */
  Set<String> compared() {
    return compared;
  }

  List<String> differences() {
    return differences;
  }

  /** Compares a schema, and those below it, with a record or an enum. */
  void compare(JsonNode schema, Type java) {
    var name = name(schema);
    var type = mapper.constructType(java);
    if (type.isEnumType()) {
      compareWords(name, schema, type);
    } else {
      compareRecord(name, schema, type);
    }
  }

  private void compareRecord(String place, JsonNode schema, JavaType type) {
    if (!compared.add(name(schema))) {
      return;
    }
    var known = document.resolved(schema);
    var fields = introspection.apply(type).findProperties();
    var documented = known.path("properties");
    same(place + " has the fields", names(fields.stream()), texts(documented.fieldNames()));
    same(
        place + " requires",
        names(fields.stream().filter(field -> !isNullable(declared(field, type)))),
        texts(OpenApiDocument.stream(known.path("required")).map(JsonNode::asText).iterator()));
    var neverNull = type.getRawClass().isAnnotationPresent(JsonInclude.class);
    for (var field : fields) {
      var property = documented.get(field.getName());
      if (property != null) {
        var where = place + "." + field.getName();
        var annotated = declared(field, type);
        same(where + " may be null", isNullable(annotated) && !neverNull, allowsNull(property));
        compare(where, property, field.getPrimaryType(), annotated);
      }
    }
  }

  private void compare(String place, JsonNode schema, JavaType type, AnnotatedType annotated) {
    var known = document.resolved(schema);
    var value = introspection.apply(type).findJsonValueAccessor();
    if (type.isEnumType()) {
      compareWords(place, schema, type);
    } else if (PLAIN.containsKey(type.getRawClass())) {
      comparePlain(place, known, type, annotated);
    } else if (value != null) {
      same(place + " has the type", PLAIN.get(value.getRawType()), typeOf(known));
    } else if (type.isMapLikeType()) {
      var values = known.path("additionalProperties");
      compare(place + ".*", values, type.getContentType(), argument(annotated, 1));
    } else if (type.isCollectionLikeType()) {
      var constraints = Constraints.of(annotated, "Items");
      same(place + " is constrained by", constraints, Constraints.documented(known));
      compare(place + "[]", known.path("items"), type.getContentType(), argument(annotated, 0));
    } else {
      compareRecord(name(schema), schema, type);
    }
  }

  /** The words of a text that a pattern lists are documented as an enum, too. */
  private void comparePlain(
      String place, ObjectNode known, JavaType type, AnnotatedType annotated) {
    var constraints = Constraints.of(annotated, "Length");
    same(place + " has the type", PLAIN.get(type.getRawClass()), typeOf(known));
    same(place + " is constrained by", constraints, Constraints.documented(known));
    var pattern = constraints.get("pattern");
    if (known.has("enum") && pattern != null) {
      var listed = pattern.replaceAll("[^a-z|]", "").split("\\|");
      same(place + " has the words", new TreeSet<>(Set.of(listed)), words(known));
    }
  }

  private void compareWords(String place, JsonNode schema, JavaType type) {
    compared.add(name(schema));
    same(
        place + " has the words",
        Stream.of(type.getRawClass().getEnumConstants())
            .map(constant -> mapper.valueToTree(constant).asText())
            .collect(Collectors.toCollection(TreeSet::new)),
        words(document.resolved(schema)));
  }

  private void same(String what, @Nullable Object inJava, Object inDocument) {
    if (!inDocument.equals(inJava)) {
      differences.add("%s %s in Java, %s in the document".formatted(what, inJava, inDocument));
    }
  }

  private static Set<String> words(ObjectNode schema) {
    return texts(OpenApiDocument.stream(schema.path("enum")).map(JsonNode::asText).iterator());
  }

  private static Set<String> names(Stream<BeanPropertyDefinition> fields) {
    return fields
        .map(BeanPropertyDefinition::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> texts(Iterator<String> all) {
    var result = new TreeSet<String>();
    all.forEachRemaining(result::add);
    return result;
  }

  private static AnnotatedType declared(BeanPropertyDefinition field, JavaType type) {
    return Stream.of(type.getRawClass().getDeclaredFields())
        .filter(one -> one.getName().equals(field.getInternalName()))
        .map(Field::getAnnotatedType)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(type + " has no component " + field));
  }

  private static AnnotatedType argument(AnnotatedType type, int position) {
    return ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments()[position];
  }

  private static boolean isNullable(AnnotatedType type) {
    return type.isAnnotationPresent(Nullable.class);
  }

  private static boolean allowsNull(JsonNode schema) {
    return Stream.concat(
            OpenApiDocument.stream(schema.path("type")),
            OpenApiDocument.stream(schema.path("anyOf")).map(part -> part.path("type")))
        .anyMatch(type -> type.asText().equals("null"));
  }

  /** The type beside null, of an integer with its format. */
  private static String typeOf(ObjectNode schema) {
    var type = schema.path("type").isArray() ? schema.path("type").get(0) : schema.path("type");
    return type.asText().equals("integer")
        ? "integer " + schema.path("format").asText()
        : type.asText();
  }

  /** The name of the schema that is referred to; otherwise its text. */
  private static String name(JsonNode schema) {
    return Stream.concat(Stream.of(schema), OpenApiDocument.stream(schema.path("anyOf")))
        .filter(part -> part.has("$ref"))
        .map(part -> requireNonNull(part.get("$ref")).asText())
        .map(reference -> reference.substring(reference.lastIndexOf('/') + 1))
        .findFirst()
        .orElseGet(schema::toString);
  }
}
