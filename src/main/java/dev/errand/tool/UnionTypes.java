package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The types of schemas that are unions. */
final class UnionTypes {

  private static final List<String> UNIONS = List.of("anyOf", "oneOf");

  private UnionTypes() {}

  /** Returns the types that the keyword {@code type} names. */
  static Set<String> names(JsonNode type) {
    return type.isArray()
        ? type.valueStream().map(JsonNode::asText).collect(Collectors.toSet())
        : Set.of(type.asText(""));
  }

  /**
   * Returns the schema with the type that stands beside a union in each of its branches instead. A
   * schema with a branch of another type stays as it is.
   */
  static ObjectNode inBranches(ObjectNode schema) {
    var type = schema.get("type");
    var unions = UNIONS.stream().filter(schema::has).toList();
    if (type == null
        || unions.isEmpty()
        || !unions.stream()
            .flatMap(union -> schema.get(union).valueStream())
            .allMatch(branch -> isWithin(branch, names(type)))) {
      return schema;
    }
    var moved = JsonNodeFactory.instance.objectNode().<ObjectNode>setAll(schema);
    moved.remove("type");
    unions.forEach(union -> moved.set(union, typed(schema.get(union), type)));
    return moved;
  }

  private static boolean isWithin(JsonNode branch, Set<String> types) {
    return branch.isObject()
        && (!branch.has("type")
            || names(branch.get("type")).stream()
                .allMatch(type ->
                    types.contains(type) || (type.equals("integer") && types.contains("number"))));
  }

  private static ArrayNode typed(JsonNode branches, JsonNode type) {
    var typed = JsonNodeFactory.instance.arrayNode();
    branches.forEach(branch ->
        typed.add(
            branch.has("type")
                ? branch
                : JsonNodeFactory.instance
                    .objectNode()
                    .<ObjectNode>set("type", type)
                    .<ObjectNode>setAll((ObjectNode) branch)));
    return typed;
  }
}
