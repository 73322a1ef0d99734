package dev.errand.tool.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.tool.ToolOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Turns a server's result into text, quoted as data: its content, and its structured content if
 * that says something else.
 */
final class ResultText {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private ResultText() {}

  static ToolOutcome.Done outcome(JsonNode result) {
    return new ToolOutcome.Done(
        UntrustedText.quoted(text(result)), result.path("isError").asBoolean());
  }

  private static String text(JsonNode result) {
    var texts = new ArrayList<>(texts(result.path("content")));
    var data = result.path("structuredContent");
    if (data.isMissingNode() || data.isNull()) {
      return texts.isEmpty() ? withoutContent(result) : String.join("\n", texts);
    }
    if (texts.isEmpty()) {
      return data.toString();
    }
    if (!says(texts, data)) {
      texts.add("Structured content: " + data);
    }
    return String.join("\n", texts);
  }

  /** Returns the texts of a list; some servers send a single block, or a text. */
  private static List<String> texts(JsonNode content) {
    if (content.isMissingNode() || content.isNull()) {
      return List.of();
    }
    var blocks = content.isArray() ? content.valueStream().toList() : List.of(content);
    return blocks.stream().map(ContentText::of).filter(text -> !text.isBlank()).toList();
  }

  /** Other fields, in which servers of early versions of the protocol answer. */
  private static String withoutContent(JsonNode result) {
    if (!(result instanceof ObjectNode object)) {
      return result.isNull() || result.isMissingNode() ? "(no content)" : result.toString();
    }
    var others = object.deepCopy();
    others.remove(List.of("content", "isError", "structuredContent", "_meta"));
    return others.isEmpty() ? "(no content)" : others.toString();
  }

  /**
   * Returns whether the texts contain the data: as JSON, or as the value of its only field, in
   * which servers wrap what is not an object, with one text for each entry of a list.
   */
  private static boolean says(List<String> texts, JsonNode data) {
    var all = String.join("\n", texts);
    var wrapped =
        data.isObject() && data.size() == 1 ? data.iterator().next() : MissingNode.getInstance();
    return isSame(all, data)
        || texts.stream().anyMatch(text -> isSame(text, data))
        || isSame(all, wrapped)
        || (wrapped.isArray() && areSame(texts, wrapped));
  }

  private static boolean areSame(List<String> texts, JsonNode values) {
    return texts.size() == values.size()
        && IntStream.range(0, texts.size())
            .allMatch(index -> isSame(texts.get(index), values.get(index)));
  }

  private static boolean isSame(String text, JsonNode value) {
    if (value.isTextual() && value.asText().strip().equals(text.strip())) {
      return true;
    }
    if (value.isMissingNode()) {
      return false;
    }
    try {
      return JSON.readTree(text).equals(ResultText::compared, value);
    } catch (JsonProcessingException plainText) {
      return false;
    }
  }

  /** 1 and 1.0 are the same number. */
  private static int compared(JsonNode one, JsonNode other) {
    if (one.isNumber() && other.isNumber()) {
      return one.isIntegralNumber() && other.isIntegralNumber()
          ? one.bigIntegerValue().compareTo(other.bigIntegerValue())
          : Double.compare(one.doubleValue(), other.doubleValue());
    }
    return one.equals(other) ? 0 : 1;
  }
}
