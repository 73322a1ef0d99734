package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An object schema in place of a union of objects. It has the fields of all branches; those that
 * every choice requires are required, and which fields belong together is said in words.
 */
final class ObjectUnion {

  private static final List<String> CHOICES = List.of("anyOf", "oneOf");
  private static final List<String> REPLACED =
      List.of("anyOf", "oneOf", "allOf", "enum", "const", "not");

  private final ObjectNode flat;
  private final ObjectNode properties;
  private final Set<String> required;

  private ObjectUnion(ObjectNode schema) {
    this.flat = JsonNodeFactory.instance.objectNode().<ObjectNode>setAll(schema);
    flat.remove(REPLACED);
    this.properties = JsonNodeFactory.instance.objectNode();
    if (schema.path("properties") instanceof ObjectNode own) {
      properties.setAll(own);
    }
    this.required = required(schema);
  }

  /** Returns whether the schema accepts objects as far as its type says. */
  static boolean mayBeObject(JsonNode schema) {
    return schema.isObject()
        && (!schema.has("type") || UnionTypes.names(schema.get("type")).contains("object"));
  }

  /** Returns a schema within another one: flattened if it is an object with fields of its own. */
  static ObjectNode plain(ObjectNode schema) {
    return schema.path("type").asText().equals("object")
            && schema.has("properties")
            && Stream.of("anyOf", "oneOf", "allOf").anyMatch(schema::has)
        ? flattened(schema)
        : schema;
  }

  /** Returns the schema without unions. */
  static ObjectNode flattened(ObjectNode schema) {
    if (REPLACED.stream().noneMatch(schema::has)) {
      return schema;
    }
    var union = new ObjectUnion(schema);
    objects(schema.path("allOf")).forEach(union::add);
    CHOICES.forEach(choice -> union.addOneOf(objects(schema.path(choice))));
    return union.written();
  }

  private static List<ObjectNode> objects(JsonNode branches) {
    return branches
        .valueStream()
        .filter(ObjectUnion::mayBeObject)
        .map(branch -> flattened((ObjectNode) branch))
        .toList();
  }

  private void add(ObjectNode branch) {
    branch
        .path("properties")
        .properties()
        .forEach(field ->
            properties.set(
                field.getKey(),
                merged("allOf", alternatives(properties.get(field.getKey()), field.getValue()))));
    required.addAll(required(branch));
    say(branch.path("description").asText());
  }

  private static List<JsonNode> alternatives(@Nullable JsonNode known, JsonNode other) {
    return known == null || known.isEmpty() ? List.of(other) : List.of(known, other);
  }

  private void addOneOf(List<ObjectNode> branches) {
    if (branches.isEmpty()) {
      return;
    }
    var choices = new LinkedHashMap<String, List<JsonNode>>();
    branches.forEach(branch ->
        branch
            .path("properties")
            .properties()
            .forEach(field ->
                choices.merge(
                    field.getKey(),
                    List.of(field.getValue()),
                    (some, more) -> Stream.concat(some.stream(), more.stream()).toList())));
    choices.forEach((name, schemas) -> {
      if (properties.path(name).isEmpty()) {
        properties.set(name, merged("anyOf", schemas));
      }
    });
    sayGroups(branches);
    required.addAll(requiredByAll(branches));
  }

  /** A field that tells branches apart has a constant in each. */
  private static JsonNode merged(String keyword, List<JsonNode> schemas) {
    var distinct = schemas.stream().distinct().toList();
    if (distinct.size() == 1) {
      return distinct.getFirst();
    }
    var merged = JsonNodeFactory.instance.objectNode();
    if (keyword.equals("anyOf") && distinct.stream().allMatch(schema -> schema.has("const"))) {
      merged.setAll((ObjectNode) distinct.getFirst());
      merged.remove("const");
      var values = merged.putArray("enum");
      distinct.stream().map(schema -> schema.get("const")).distinct().forEach(values::add);
      return merged;
    }
    distinct.forEach(merged.putArray(keyword)::add);
    return merged;
  }

  private static Set<String> required(JsonNode schema) {
    return schema
        .path("required")
        .valueStream()
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Set<String> requiredByAll(List<ObjectNode> branches) {
    var common = required(branches.getFirst());
    branches.forEach(branch -> common.retainAll(required(branch)));
    return common;
  }

  private void sayGroups(List<ObjectNode> branches) {
    var groups = branches.stream().map(ObjectUnion::group).distinct().toList();
    if (groups.size() > 1) {
      say("Required are the fields of one of these groups: " + String.join("; ", groups));
    }
  }

  private static String group(ObjectNode branch) {
    var names =
        required(branch).stream()
            .map(name -> {
              var constant = branch.path("properties").path(name).path("const");
              return constant.isMissingNode() ? name : name + " = " + constant;
            })
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "none" : names;
  }

  private void say(String words) {
    if (!words.isBlank()) {
      flat.put("description", (flat.path("description").asText("") + "\n" + words).strip());
    }
  }

  private ObjectNode written() {
    flat.set("properties", properties);
    if (!required.isEmpty()) {
      required.forEach(flat.putArray("required")::add);
    }
    return flat;
  }
}
