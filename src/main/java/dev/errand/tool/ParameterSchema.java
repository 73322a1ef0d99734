package dev.errand.tool;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the JSON Schema of a tool's parameters. A field is optional unless {@link #required()}
 * follows it; undeclared fields are refused.
 *
 * <pre>{@code
 * ParameterSchema.object()
 *     .string("file_path", "The file to read.").required()
 *     .integer("limit", "How many lines to read.", 1, 10_000)
 *     .build();
 * }</pre>
 */
public final class ParameterSchema {

  static final String NOT_BLANK = "\\S";

  /** The limit of a path, a name, a pattern or a sentence. */
  public static final int MAX_CHARS = 4_096;

  /** The limit of any other text. */
  private static final int MAX_TEXT_CHARS = 5 * 1024 * 1024;

  private final ObjectNode properties = JsonNodeFactory.instance.objectNode();
  private final List<String> required = new ArrayList<>();
  private String last = "";

  private ParameterSchema() {}

  public static ParameterSchema object() {
    return new ParameterSchema();
  }

  /**
   * Adds a string with at least one character that is not white space, and at most 4,096
   * characters.
   */
  public ParameterSchema string(String name, String description) {
    nonEmptyText(name, description).field(name).put("pattern", NOT_BLANK);
    return maxLength(MAX_CHARS);
  }

  /** Any string of at most 5 Mi characters, including the empty string. */
  public ParameterSchema text(String name, String description) {
    field(name, "string", description).put("maxLength", MAX_TEXT_CHARS);
    return this;
  }

  /** Adds a string of at least one character, possibly white space. */
  public ParameterSchema nonEmptyText(String name, String description) {
    text(name, description).field(name).put("minLength", 1);
    return this;
  }

  /** Adds a whole number from {@code min} to {@code max}, inclusive. */
  public ParameterSchema integer(String name, String description, long min, long max) {
    field(name, "integer", description).put("minimum", min).put("maximum", max);
    return this;
  }

  public ParameterSchema bool(String name, String description) {
    field(name, "boolean", description);
    return this;
  }

  /** Adds a parameter that is one of {@code values}. */
  public ParameterSchema enumeration(String name, String description, List<String> values) {
    var allowed = field(name, "string", description).putArray("enum");
    values.forEach(allowed::add);
    return this;
  }

  /** Adds an array of strings like those of {@link #string}. */
  public ParameterSchema strings(String name, String description) {
    field(name, "array", description)
        .putObject("items")
        .put("type", "string")
        .put("minLength", 1)
        .put("maxLength", MAX_CHARS);
    return this;
  }

  /** Adds an array of objects with the schema {@code item}. */
  public ParameterSchema objects(String name, String description, ParameterSchema item) {
    field(name, "array", description).set("items", item.build());
    return this;
  }

  /** Limits the characters of the text that was declared last. */
  public ParameterSchema maxLength(int characters) {
    field(last).put("maxLength", characters);
    return this;
  }

  /** Limits the entries of the array that was declared last. */
  public ParameterSchema maxItems(int entries) {
    field(last).put("maxItems", entries);
    return this;
  }

  /** Makes the field that was declared last mandatory. */
  public ParameterSchema required() {
    if (last.isEmpty()) {
      throw new IllegalStateException("required() must follow a field");
    }
    required.add(last);
    return this;
  }

  /** Returns a new copy on every call. */
  public ObjectNode build() {
    var schema = JsonNodeFactory.instance.objectNode();
    schema.put("type", "object");
    schema.set("properties", properties.deepCopy());
    var names = schema.putArray("required");
    required.forEach(names::add);
    schema.put("additionalProperties", false);
    return schema;
  }

  private ObjectNode field(String name) {
    return (ObjectNode) properties.get(name);
  }

  private ObjectNode field(String name, String type, String description) {
    last = name;
    return properties.putObject(name).put("type", type).put("description", description);
  }
}
