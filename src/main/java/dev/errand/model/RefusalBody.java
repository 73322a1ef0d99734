package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The words of an error answer, in whatever form it has them.
 *
 * @param sentence what the provider says to people
 * @param words each name and value as a line, {@code code: 429}, also those of an answer that is
 *     quoted as text; without what is quoted of the request
 * @param sentences the values that are sentences
 */
record RefusalBody(String sentence, String words, String sentences) {

  private static final JsonMapper JSON = new JsonMapper();

  /** In the order in which they are preferred. */
  private static final List<String> SENTENCES =
      List.of(
          "error",
          "message",
          "detail",
          "errors",
          "msg",
          "error_msg",
          "error_message",
          "errorMessage",
          "error_description",
          "Message",
          "base_resp",
          "status_msg");

  private static final int MOST_DEPTH = 12;

  static RefusalBody of(byte[] body) {
    return of(new String(body, UTF_8));
  }

  static RefusalBody of(String body) {
    var json = parsed(body);
    return json.isContainerNode() ? of(json) : new RefusalBody(body, body, plain(body));
  }

  static RefusalBody of(JsonNode json) {
    var said = new RefusalWords(json);
    return new RefusalBody(
        sentence(json, 0).orElseGet(json::toString), said.words(), said.sentences());
  }

  /** A page for people says nothing about a request. */
  private static String plain(String body) {
    return body.stripLeading().startsWith("<") ? "" : body;
  }

  private static Optional<String> sentence(JsonNode node, int depth) {
    if (depth > MOST_DEPTH || node.isEmpty() && !node.isTextual()) {
      return Optional.empty();
    } else if (node.isTextual()) {
      var nested = parsed(node.asText());
      return nested.isContainerNode()
          ? sentence(nested, depth + 1)
          : Optional.of(node.asText()).filter(text -> !text.isBlank());
    } else if (node.isArray()) {
      return Optional.of(joined(node, depth)).filter(text -> !text.isBlank());
    }
    return SENTENCES.stream()
        .flatMap(name -> sentence(node.path(name), depth + 1).stream())
        .findFirst()
        .map(text -> where(node) + text + more(node, text, depth));
  }

  private static String joined(JsonNode list, int depth) {
    return list.valueStream()
        .flatMap(one -> sentence(one, depth + 1).stream())
        .limit(3)
        .collect(Collectors.joining("; "));
  }

  /**
   * Reads the place in {@code {"loc": ["body", "stream"], "msg": "Extra inputs are not
   * permitted"}}.
   */
  private static String where(JsonNode node) {
    var loc = node.path("loc");
    return loc.isArray() && node.has("msg")
        ? loc.valueStream().map(JsonNode::asText).collect(Collectors.joining(".")) + ": "
        : "";
  }

  /** A title is followed by its explanation, and a gateway's sentence by that of the provider. */
  private static String more(JsonNode node, String said, int depth) {
    return Stream.of(
            node.path("error").isTextual() ? node.path("message") : MissingNode.getInstance(),
            node.at("/metadata/raw"))
        .flatMap(part -> sentence(part, depth + 1).stream())
        .filter(text -> !text.equals(said))
        .map(text -> ": " + text)
        .collect(Collectors.joining());
  }

  /** Parses an object or a list; returns a missing node for any other text. */
  static JsonNode parsed(String text) {
    var start = text.stripLeading();
    if (!start.startsWith("{") && !start.startsWith("[")) {
      return MissingNode.getInstance();
    }
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException plainText) {
      return MissingNode.getInstance();
    }
  }
}
