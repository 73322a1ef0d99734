package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.ToolDefinition;
import dev.errand.model.Dialect.CalledModel;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The messages API of Anthropic. Marks for its cache: the instructions, the tools, and where this
 * and the last request end.
 */
final class AnthropicDialect implements Dialect {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String VERSION = "2023-06-01";

  @Override
  public String path() {
    return "/messages";
  }

  @Override
  public Map<String, String> headers(Endpoint endpoint) {
    var key = endpoint.apiKey();
    return key == null
        ? Map.of("anthropic-version", VERSION)
        : Map.of("anthropic-version", VERSION, "x-api-key", key);
  }

  @Override
  public ObjectNode request(ModelRequest request, CalledModel model) {
    var body = JSON.objectNode().put("model", model.model());
    body.put("max_tokens", model.window().answerTokens()).put("stream", true);
    if (!request.system().isBlank()) {
      mark(body.putArray("system").add(text(request.system())));
    }
    var conversation = SentConversation.of(request.conversation());
    var messages = body.putArray("messages");
    conversation.forEach(message -> messages.add(message(message, model.name())));
    markEnds(conversation, messages);
    if (!request.tools().isEmpty()) {
      var tools = body.putArray("tools");
      request.tools().forEach(tool -> tools.add(tool(tool)));
      mark(tools);
      if (request.closing()) {
        body.putObject("tool_choice").put("type", "none");
      }
    }
    return body;
  }

  private static void markEnds(List<Message> conversation, ArrayNode messages) {
    var last = conversation.size() - 1;
    var answer = last;
    while (answer >= 0 && conversation.get(answer).role() != MessageRole.ASSISTANT) {
      answer--;
    }
    if (last > answer) {
      mark(messages.get(last).withArray("/content"));
    }
    if (answer > 0) {
      mark(messages.get(answer - 1).withArray("/content"));
    }
  }

  /** Lets the provider cache the request up to the last block. */
  private static void mark(ArrayNode blocks) {
    if (!blocks.isEmpty() && blocks.get(blocks.size() - 1) instanceof ObjectNode last) {
      last.putObject("cache_control").put("type", "ephemeral");
    }
  }

  private static ObjectNode tool(ToolDefinition tool) {
    var written = JSON.objectNode().put("name", tool.name()).put("description", tool.description());
    written.set("input_schema", tool.parameters());
    return written;
  }

  private static ObjectNode message(Message message, String model) {
    var written = JSON.objectNode();
    written.put("role", message.role() == MessageRole.ASSISTANT ? "assistant" : "user");
    var blocks = written.putArray("content");
    message.content().forEach(part -> blocks.add(block(part)));
    AnthropicBlocks.restore(KeptFields.ofMessage(message, model), blocks);
    return written;
  }

  private static ObjectNode text(String text) {
    return JSON.objectNode().put("type", "text").put("text", text);
  }

  private static ObjectNode block(Content part) {
    return switch (part) {
      case Content.Text text -> text(text.text());
      case Content.ToolCall call -> {
        var use = JSON.objectNode().put("type", "tool_use");
        use.put("id", call.id()).put("name", call.name()).set("input", call.arguments());
        yield use;
      }
      case Content.ToolResult result -> {
        var answer = JSON.objectNode().put("type", "tool_result");
        answer.put("tool_use_id", result.toolCallId()).put("content", result.text());
        yield result.isError() ? answer.put("is_error", true) : answer;
      }
    };
  }

  @Override
  public Consumer<JsonNode> reader(AnswerDraft draft) {
    return new AnthropicAnswer(draft);
  }
}
