package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;

/**
 * Reads what a field of an answer means, whatever its form. Servers that imitate the API of a
 * provider send texts as lists of parts, numbers as texts, objects as lists of one, and null for
 * anything.
 */
final class Lenient {

  private Lenient() {}

  /** Returns the words of a text, of a part or of a list of them; without thoughts and images. */
  static String text(JsonNode node) {
    if (node.isValueNode()) {
      return node.isNull() ? "" : node.asText();
    }
    if (node.isObject()) {
      return isText(node) ? text(node.has("text") ? node.path("text") : inner(node)) : "";
    }
    var words = new StringBuilder();
    node.forEach(part -> words.append(text(part)));
    return words.toString();
  }

  /** Unwraps {@code {"value": …}}, a text of OpenAI's assistants API. */
  private static JsonNode inner(JsonNode part) {
    return part.has("content") ? part.path("content") : part.path("value");
  }

  /** Returns whether an object is a part of a text: its type may be missing. */
  static boolean isText(JsonNode part) {
    var type = word(part.path("type"));
    return type.isEmpty() || type.endsWith("text");
  }

  /** Returns a name or an id: without white space around it; empty if there is none. */
  static String name(JsonNode node) {
    return node.isValueNode() && !node.isNull() ? node.asText().strip() : "";
  }

  /** Returns a word of an enumeration in lower case: a text, or the type of an object. */
  static String word(JsonNode node) {
    if (node.isContainerNode()) {
      var only = first(node);
      return only.isObject()
          ? word(only.has("type") ? only.path("type") : only.path("reason"))
          : name(only).toLowerCase(Locale.ROOT);
    }
    return name(node).toLowerCase(Locale.ROOT);
  }

  /** Returns a number of tokens, an index or a status: at least 0, and 0 if it is none. */
  static long count(JsonNode node) {
    if (node.isTextual()) {
      try {
        return Math.max(0, (long) Double.parseDouble(node.textValue().strip()));
      } catch (NumberFormatException notANumber) {
        return 0;
      }
    }
    return Math.max(0, node.asLong());
  }

  /** Returns whether a field says yes: also as a text or a number. */
  static boolean isTrue(JsonNode node) {
    return node.asBoolean() || word(node).equals("true");
  }

  /** Returns the first element of a list, or the value itself. */
  static JsonNode first(JsonNode node) {
    return node.isArray() ? node.path(0) : node;
  }

  /** Returns the list itself, or a list of the value; nothing if there is none. */
  static Iterable<JsonNode> list(JsonNode node) {
    if (node.isArray()) {
      return node;
    }
    return node.isMissingNode() || node.isNull() ? List.of() : List.of(node);
  }
}
