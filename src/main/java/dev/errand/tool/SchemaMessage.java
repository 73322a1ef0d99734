package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.ValidationMessage;
import dev.errand.conversation.TextCut;
import java.util.Iterator;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Translates a finding of the schema validator into a message that explains how to correct the
 * field.
 */
final class SchemaMessage {

  private static final int MAX_NAME_CHARS = 100;

  private final JsonNode schema;

  SchemaMessage(JsonNode schema) {
    this.schema = schema;
  }

  FieldProblem problem(ValidationMessage found) {
    var keyword = found.getType();
    var field = path(found.getInstanceLocation());
    return switch (keyword) {
      case "required" -> new FieldProblem(member(field, found.getProperty()), "is required");
      case "additionalProperties" ->
          new FieldProblem(member(field, found.getProperty()), "unknown field" + known(found));
      default -> new FieldProblem(field, message(keyword, found));
    };
  }

  private static String message(String keyword, ValidationMessage found) {
    var rule = found.getSchemaNode();
    return switch (keyword) {
      case "type" -> "must be " + types(rule) + ", but is " + typeOf(found.getInstanceNode());
      case "minimum" -> "must be at least " + rule.asText();
      case "maximum" -> "must be at most " + rule.asText();
      case "minLength" ->
          rule.asInt() == 1
              ? "must not be empty"
              : "must have at least " + rule.asText() + " characters";
      case "maxLength" -> "must have at most " + rule.asText() + " characters";
      case "minItems" -> "must have at least " + rule.asText() + " entries";
      case "maxItems" -> "must have at most " + rule.asText() + " entries";
      case "enum" -> "must be one of " + list(rule);
      case "pattern" ->
          rule.asText().equals(ParameterSchema.NOT_BLANK)
              ? "must not be blank"
              : "must match the regular expression " + rule.asText();
      default -> found.getError();
    };
  }

  private static String path(JsonNodePath location) {
    var path = new StringBuilder();
    for (int i = 0; i < location.getNameCount(); i++) {
      var element = location.getElement(i);
      if (element instanceof Integer index) {
        path.append('[').append(index).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(shortened(element.toString()));
      }
    }
    return path.toString();
  }

  private static String member(String object, String property) {
    return object.isEmpty() ? shortened(property) : object + "." + shortened(property);
  }

  private static String shortened(String name) {
    return TextCut.withEllipsis(name, MAX_NAME_CHARS);
  }

  /** Lists the fields that are declared next to an undeclared one. */
  private String known(ValidationMessage found) {
    var path = found.getEvaluationPath();
    var owner = schema;
    for (int i = 0; i < path.getNameCount() - 1; i++) {
      owner =
          path.getElement(i) instanceof Integer index
              ? owner.path(index)
              : owner.path(path.getName(i));
    }
    var names = owner.path("properties").fieldNames();
    return names.hasNext() ? " (known: " + join(names) + ")" : "";
  }

  private static String join(Iterator<String> names) {
    var joined = new StringJoiner(", ");
    names.forEachRemaining(joined::add);
    return joined.toString();
  }

  private static String list(JsonNode values) {
    return StreamSupport.stream(values.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.joining(", "));
  }

  private static String types(JsonNode rule) {
    return rule.isArray()
        ? StreamSupport.stream(rule.spliterator(), false)
            .map(type -> withArticle(type.asText()))
            .collect(Collectors.joining(" or "))
        : withArticle(rule.asText());
  }

  private static String typeOf(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "a string";
      case NUMBER -> value.isIntegralNumber() ? "an integer" : "a number";
      case BOOLEAN -> "a boolean";
      case ARRAY -> "an array";
      case OBJECT, POJO -> "an object";
      case NULL, MISSING, BINARY -> "null";
    };
  }

  private static String withArticle(String type) {
    return switch (type) {
      case "null" -> "null";
      case "integer", "array", "object" -> "an " + type;
      default -> "a " + type;
    };
  }
}
