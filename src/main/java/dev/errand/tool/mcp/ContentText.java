package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.TextCut;
import java.util.List;

/**
 * A block of content as text: a text itself, the name of what cannot be shown, and of a type that
 * is not known its name with its fields.
 */
final class ContentText {

  private static final int MAX_NAME_CHARS = 100;
  private static final int MAX_FIELD_CHARS = 1_000;

  /** The fields that are meant for programs. */
  private static final List<String> NOT_SHOWN = List.of("type", "_meta", "annotations");

  private ContentText() {}

  static String of(JsonNode block) {
    if (!block.isObject()) {
      return block.isTextual() ? block.asText() : block.toString();
    }
    return switch (block.path("type").asText(block.has("text") ? "text" : "")) {
      case "text" -> text(block.path("text"));
      case "image" -> notShown("image", block);
      case "audio" -> notShown("audio", block);
      case "resource_link" -> link(block);
      case "resource" -> resource(block.path("resource"));
      default -> unknown((ObjectNode) block);
    };
  }

  private static String text(JsonNode value) {
    return value.isTextual() || value.isMissingNode() || value.isNull()
        ? value.asText("")
        : value.toString();
  }

  private static String link(JsonNode link) {
    var name = link.path("name").asText(link.path("title").asText());
    var about = link.path("description").asText();
    return "(resource%s: %s%s)"
        .formatted(
            name.isEmpty() ? "" : " " + name,
            link.path("uri").asText(),
            about.isEmpty() ? "" : ", " + about);
  }

  private static String resource(JsonNode resource) {
    return resource.has("text")
        ? text(resource.path("text"))
        : notShown(("resource " + resource.path("uri").asText()).strip(), resource);
  }

  private static String notShown(String what, JsonNode block) {
    var type = block.path("mimeType").asText();
    return "(%s%s: not shown)".formatted(what, type.isEmpty() ? "" : ", " + type);
  }

  private static String unknown(ObjectNode block) {
    var type = block.path("type").asText();
    var named =
        type.isEmpty()
            ? "(content without a type"
            : "(content of the unknown type " + TextCut.withEllipsis(type, MAX_NAME_CHARS);
    var fields = block.deepCopy();
    fields.remove(NOT_SHOWN);
    fields.properties().forEach(field -> field.setValue(shortened(field.getValue())));
    return fields.isEmpty() ? named + ")" : named + ": " + fields + ")";
  }

  /** A long text may be a file in Base64. */
  private static JsonNode shortened(JsonNode value) {
    return value.isTextual() && value.asText().length() > MAX_FIELD_CHARS
        ? new TextNode("(%d characters: not shown)".formatted(value.asText().length()))
        : value;
  }
}
