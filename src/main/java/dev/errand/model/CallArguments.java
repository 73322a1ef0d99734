package dev.errand.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the arguments of a tool call: a JSON object, its text, a text that contains such a text, a
 * list of one of them, or nothing. Anything else stays the text that the model sent: it is never
 * executed, and its result says what is wrong.
 */
final class CallArguments {

  /** Deeper arguments are kept as text. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(Content.MAX_DEPTH).build())
                  .build())
          // Models forget to escape line breaks, and write JSON as in JavaScript.
          .enable(
              JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS,
              JsonReadFeature.ALLOW_TRAILING_COMMA,
              JsonReadFeature.ALLOW_SINGLE_QUOTES)
          .build();

  private static final Pattern FENCED =
      Pattern.compile("\\s*```(?:json)?\\s*(.*?)\\s*```\\s*", Pattern.DOTALL);

  /** A text in a text in a text is the most that was seen. */
  private static final int MOST_LAYERS = 3;

  private CallArguments() {}

  /** Returns an object, or a text that is none. */
  static JsonNode of(JsonNode sent) {
    return object(sent, 0).orElseGet(() -> TextNode.valueOf(plain(sent)));
  }

  private static String plain(JsonNode sent) {
    return sent.isTextual() ? sent.textValue() : sent.toString();
  }

  private static Optional<JsonNode> object(JsonNode sent, int layer) {
    if (layer > MOST_LAYERS) {
      return Optional.empty();
    }
    if (sent.isMissingNode() || sent.isNull() || (sent.isContainerNode() && sent.isEmpty())) {
      return Optional.of(JsonNodeFactory.instance.objectNode());
    }
    if (sent.isObject()) {
      return Optional.of(sent);
    }
    if (sent.isArray()) {
      return ofList(sent, layer + 1);
    }
    return sent.isTextual() ? ofText(sent.textValue(), layer + 1) : Optional.empty();
  }

  /** Reads a list of one object, or a text in pieces. */
  private static Optional<JsonNode> ofList(JsonNode list, int layer) {
    if (list.size() == 1) {
      return object(list.path(0), layer);
    }
    var pieces = new StringBuilder();
    for (var piece : list) {
      if (!piece.isTextual()) {
        return Optional.empty();
      }
      pieces.append(piece.textValue());
    }
    return ofText(pieces.toString(), layer);
  }

  private static Optional<JsonNode> ofText(String text, int layer) {
    if (text.isBlank()) {
      return Optional.of(JsonNodeFactory.instance.objectNode());
    }
    var fenced = FENCED.matcher(text);
    var values = values(fenced.matches() ? fenced.group(1) : text);
    return values.isEmpty() ? Optional.empty() : object(values.getLast(), layer);
  }

  /**
   * Returns the value in a text. Some servers begin with an empty object before the real value, or
   * send the same value twice; other texts with several values have no meaning.
   */
  private static List<JsonNode> values(String text) {
    var values = new ArrayList<JsonNode>();
    try (var parser = JSON.createParser(text)) {
      for (JsonNode next = JSON.readTree(parser); next != null; next = JSON.readTree(parser)) {
        var before = values.isEmpty() ? next : values.getLast();
        if (!before.equals(next) && !(before.isObject() && before.isEmpty())) {
          return List.of();
        }
        values.add(next);
      }
      return values;
    } catch (JsonProcessingException malformed) {
      return List.of();
    } catch (IOException impossible) {
      throw new IllegalStateException("a text was read", impossible);
    }
  }

  /** Returns whether the text is a whole object. */
  static boolean isObject(CharSequence text) {
    return !text.isEmpty() && ofText(text.toString(), 1).isPresent();
  }
}
