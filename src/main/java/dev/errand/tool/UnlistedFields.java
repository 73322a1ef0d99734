package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Fields whose names a provider refuses, for example {@code filter[id]}: they are said in words.
 */
final class UnlistedFields {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");
  private static final int MAX_ABOUT = 100;

  private UnlistedFields() {}

  /** Returns the schema without these fields, with words about them in its description. */
  static ObjectNode said(ObjectNode schema) {
    var unlisted =
        schema.path("properties").properties().stream()
            .filter(field -> !NAME.matcher(field.getKey()).matches())
            .toList();
    if (unlisted.isEmpty()) {
      return schema;
    }
    var required = schema.path("required").valueStream().map(JsonNode::asText).toList();
    var words =
        unlisted.stream()
            .map(field -> about(field, required.contains(field.getKey())))
            .collect(Collectors.joining("; ", "Further fields: ", ""));
    var listed = JsonNodeFactory.instance.objectNode().<ObjectNode>setAll(schema);
    listed.put("description", (schema.path("description").asText("") + "\n" + words).strip());
    listed.remove("additionalProperties");
    listed.set("properties", schema.get("properties").deepCopy());
    unlisted.forEach(field -> listed.withObjectProperty("properties").remove(field.getKey()));
    var names = listed.putArray("required");
    required.stream().filter(name -> NAME.matcher(name).matches()).forEach(names::add);
    return listed;
  }

  private static String about(Map.Entry<String, JsonNode> field, boolean isRequired) {
    var type = String.join(" or ", UnionTypes.names(field.getValue().path("type")));
    var description = field.getValue().path("description").asText("");
    return "\"%s\" (%s%s)%s"
        .formatted(
            field.getKey(),
            type.isEmpty() ? "any value" : type,
            isRequired ? ", required" : "",
            description.isBlank() ? "" : ": " + TextCut.words(description, MAX_ABOUT));
  }
}
