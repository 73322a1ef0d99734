package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The blocks of an answer that are neither text nor calls, such as signed thoughts, with their
 * places: {@code {"blocks": [{"after_text": true, "after_calls": 1, "block": {…}}]}}. Anthropic
 * wants them back where they were.
 */
final class AnthropicBlocks {

  private AnthropicBlocks() {}

  /** Keeps a block that comes after what the draft contains, and returns it to be continued. */
  static ObjectNode keep(JsonNode block, AnswerDraft draft) {
    var kept = JsonNodeFactory.instance.objectNode();
    draft
        .kept()
        .withArray("/blocks")
        .addObject()
        .put("after_text", !draft.text().isBlank())
        .put("after_calls", draft.calls().size())
        .set("block", kept);
    if (block instanceof ObjectNode fields) {
      kept.setAll(fields.deepCopy());
    }
    return kept;
  }

  /**
   * Puts the blocks in their places.
   *
   * @param blocks a text, if there is one, and calls
   */
  static void restore(ObjectNode kept, ArrayNode blocks) {
    var texts = blocks.path(0).path("type").asText().equals("text") ? 1 : 0;
    var restored = 0;
    for (var entry : kept.path("blocks")) {
      var before = entry.path("after_text").asBoolean() ? texts : 0;
      var place = restored + before + entry.path("after_calls").asInt();
      blocks.insert(Math.min(place, blocks.size()), entry.path("block"));
      restored++;
    }
  }
}
