package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.JsonText;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.model.Dialect.CalledModel;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** The chat completions API of OpenAI, which many other servers have too. */
final class OpenAiDialect implements Dialect {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<String> OPENAI_HOSTS =
      List.of(".api.openai.com", ".openai.azure.com", ".services.ai.azure.com");

  @Override
  public String path() {
    return "/chat/completions";
  }

  /** Azure takes a key in a header of its own. */
  @Override
  public Map<String, String> headers(Endpoint endpoint) {
    var key = endpoint.apiKey();
    if (key == null) {
      return Map.of();
    }
    return ProviderApi.isAzure(endpoint.baseUrl())
        ? Map.of("api-key", key)
        : Map.of("Authorization", "Bearer " + key);
  }

  @Override
  public ObjectNode request(ModelRequest request, CalledModel model) {
    var body = JSON.objectNode().put("model", model.model());
    var messages = body.putArray("messages");
    if (!request.system().isBlank()) {
      messages.addObject().put("role", "system").put("content", request.system());
    }
    SentConversation.of(request.conversation())
        .forEach(message -> write(message, model.name(), messages));
    body.put("stream", true).putObject("stream_options").put("include_usage", true);
    body.put(limitOfAnswer(model.endpoint()), model.window().answerTokens());
    if (!request.tools().isEmpty()) {
      var tools = body.putArray("tools");
      request.tools().forEach(tool -> tools.add(tool(tool)));
      if (request.closing()) {
        body.put("tool_choice", "none");
      }
    }
    return body;
  }

  /**
   * OpenAI's reasoning models refuse {@code max_tokens}, also in a region and on Azure; many other
   * endpoints know nothing else.
   */
  private static String limitOfAnswer(Endpoint endpoint) {
    var host = ("." + endpoint.baseUrl().getHost()).toLowerCase(Locale.ROOT);
    return OPENAI_HOSTS.stream().anyMatch(host::endsWith) ? "max_completion_tokens" : "max_tokens";
  }

  /** Returns a tool in the form of OpenAI, in which Ollama takes tools, too. */
  static ObjectNode tool(ToolDefinition tool) {
    var written = JSON.objectNode().put("type", "function");
    written
        .putObject("function")
        .put("name", tool.name())
        .put("description", tool.description())
        .set("parameters", tool.parameters());
    return written;
  }

  private static void write(Message message, String model, ArrayNode messages) {
    switch (message.role()) {
      case ASSISTANT -> messages.add(answer(message, model));
      case TOOL ->
          message.content().forEach(part -> messages.add(result((Content.ToolResult) part)));
      default -> messages.addObject().put("role", "user").put("content", message.text());
    }
  }

  private static ObjectNode answer(Message message, String model) {
    var written = JSON.objectNode().put("role", "assistant");
    if (!message.text().isEmpty()) {
      written.put("content", message.text());
    }
    written.setAll(KeptFields.ofMessage(message, model));
    if (!message.toolCalls().isEmpty()) {
      var calls = written.putArray("tool_calls");
      message.toolCalls().forEach(call -> calls.add(call(call, model)));
    }
    return written;
  }

  private static ObjectNode call(Content.ToolCall call, String model) {
    var kept = KeptFields.ofCall(call, model);
    var written = JSON.objectNode().put("id", call.id()).put("type", "function");
    written.setAll(kept);
    var function = JSON.objectNode();
    if (kept.path("function") instanceof ObjectNode more) {
      function.setAll(more);
    }
    function.put("name", call.name()).put("arguments", JsonText.of(call.arguments()));
    written.set("function", function);
    return written;
  }

  private static ObjectNode result(Content.ToolResult result) {
    return JSON.objectNode()
        .put("role", "tool")
        .put("tool_call_id", result.toolCallId())
        .put("content", result.text());
  }

  @Override
  public Consumer<JsonNode> reader(AnswerDraft draft) {
    return new OpenAiAnswer(draft);
  }
}
