package dev.errand.tool.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.UntrustedText;
import dev.errand.tool.ToolOutcome;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.stream.Collectors;

/** Turns a server's result into text, quoted as data: texts, and the names of other content. */
final class ResultText {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private ResultText() {}

  static ToolOutcome.Done outcome(McpSchema.CallToolResult result) {
    return new ToolOutcome.Done(
        UntrustedText.quoted(text(result)), Boolean.TRUE.equals(result.isError()));
  }

  private static String text(McpSchema.CallToolResult result) {
    var text = result.content().stream().map(ResultText::text).collect(Collectors.joining("\n"));
    if (!text.isEmpty()) {
      return text;
    }
    return result.structuredContent() == null ? "(no content)" : json(result.structuredContent());
  }

  private static String text(McpSchema.Content content) {
    return switch (content) {
      case McpSchema.TextContent text -> text.text();
      case McpSchema.ImageContent image -> notShown("image", image.mimeType());
      case McpSchema.AudioContent audio -> notShown("audio", audio.mimeType());
      case McpSchema.ResourceLink link -> "(resource %s: %s)".formatted(link.name(), link.uri());
      case McpSchema.EmbeddedResource embedded -> text(embedded.resource());
      default -> notShown("content", content.type());
    };
  }

  private static String text(McpSchema.ResourceContents resource) {
    return resource instanceof McpSchema.TextResourceContents text
        ? text.text()
        : notShown("resource " + resource.uri(), resource.mimeType());
  }

  private static String notShown(String what, String type) {
    return "(%s, %s: not shown)".formatted(what, type);
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException odd) {
      return "(content that cannot be shown)";
    }
  }
}
