package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.TextCut;
import java.util.Set;

/** Collects what an error answer says, name by name. */
final class RefusalWords {

  /** What providers quote of the request must not decide what they say about it. */
  private static final Set<String> QUOTED =
      Set.of("input", "ctx", "body", "request", "failed_generation", "documentation_url");

  private static final int MOST_CHARS = 10_000;
  private static final int MOST_DEPTH = 12;

  private final StringBuilder words = new StringBuilder();
  private final StringBuilder sentences = new StringBuilder();

  RefusalWords(JsonNode answer) {
    collect("message", answer, 0);
  }

  String words() {
    return words.toString();
  }

  String sentences() {
    return sentences.toString();
  }

  private void collect(String name, JsonNode node, int depth) {
    if (QUOTED.contains(name) || words.length() > MOST_CHARS || depth > MOST_DEPTH) {
      return;
    }
    if (node.isObject()) {
      node.properties().forEach(field -> collect(field.getKey(), field.getValue(), depth + 1));
    } else if (node.isArray()) {
      node.forEach(one -> collect(name, one, depth + 1));
    } else if (!node.isNull()) {
      value(name, node, depth);
    }
  }

  /** Gateways quote the answer of the provider as a text. */
  private void value(String name, JsonNode value, int depth) {
    var text = value.asText();
    var nested = RefusalBody.parsed(text);
    if (nested.isContainerNode()) {
      collect(name, nested, depth + 1);
      return;
    }
    var head = TextCut.head(text, MOST_CHARS);
    words.append(name).append(": ").append(head).append('\n');
    if (value.isTextual() && isSentence(head)) {
      sentences.append(head).append('\n');
    }
  }

  /** Chinese has no spaces. */
  private static boolean isSentence(String text) {
    return text.contains(" ") || !text.chars().allMatch(sign -> sign < 128);
  }
}
