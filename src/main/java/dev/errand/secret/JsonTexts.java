package dev.errand.secret;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The texts of a JSON value: its strings, and the names of its fields. */
public final class JsonTexts {

  private JsonTexts() {}

  /** Returns whether a condition is true for all texts. */
  public static boolean all(JsonNode value, Predicate<String> condition) {
    if (value.isTextual()) {
      return condition.test(value.textValue());
    }
    for (var field : value.properties()) {
      if (!condition.test(field.getKey())) {
        return false;
      }
    }
    for (var part : value) {
      if (!all(part, condition)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the value with other texts. Of fields whose names become equal, the last one stays. */
  public static JsonNode replaced(JsonNode value, UnaryOperator<String> replacement) {
    if (value.isTextual()) {
      return TextNode.valueOf(replacement.apply(value.textValue()));
    }
    if (value instanceof ArrayNode) {
      var copy = JsonNodeFactory.instance.arrayNode();
      value.forEach(item -> copy.add(replaced(item, replacement)));
      return copy;
    }
    if (value.isObject()) {
      var copy = JsonNodeFactory.instance.objectNode();
      value
          .properties()
          .forEach(field ->
              copy.set(replacement.apply(field.getKey()), replaced(field.getValue(), replacement)));
      return copy;
    }
    return value;
  }
}
