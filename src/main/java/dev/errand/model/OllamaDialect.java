package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.model.Dialect.CalledModel;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The chat API of Ollama. */
final class OllamaDialect implements Dialect {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  @Override
  public String path() {
    return "/api/chat";
  }

  /** A local server needs no key; one behind a gateway may. */
  @Override
  public Map<String, String> headers(Endpoint endpoint) {
    var key = endpoint.apiKey();
    return key == null ? Map.of() : Map.of("Authorization", "Bearer " + key);
  }

  /** Ollama has no choice of tools: a model that may not call its tools does not see them. */
  @Override
  public ObjectNode request(ModelRequest request, CalledModel model) {
    var body = JSON.objectNode().put("model", model.model());
    var messages = body.putArray("messages");
    if (!request.system().isBlank()) {
      messages.addObject().put("role", "system").put("content", request.system());
    }
    var tools = new HashMap<String, String>();
    for (var message : SentConversation.of(request.conversation())) {
      message.toolCalls().forEach(call -> tools.put(call.id(), call.name()));
      write(message, new MessageTarget(model.name(), tools, messages));
    }
    var window = model.window();
    body.putObject("options")
        .put("num_ctx", window.tokens())
        .put("num_predict", window.answerTokens());
    body.put("stream", true);
    if (!request.tools().isEmpty() && !request.closing()) {
      var offered = body.putArray("tools");
      request.tools().forEach(tool -> offered.add(OpenAiDialect.tool(tool)));
    }
    return body;
  }

  /**
   * The list to which a message is added.
   *
   * @param tools the names of the tools, by the ids of their calls
   */
  private record MessageTarget(String model, Map<String, String> tools, ArrayNode messages) {}

  private static void write(Message message, MessageTarget place) {
    switch (message.role()) {
      case ASSISTANT -> place.messages().add(answer(message, place.model()));
      case TOOL -> {
        for (var part : message.content()) {
          var result = (Content.ToolResult) part;
          place
              .messages()
              .addObject()
              .put("role", "tool")
              .put("tool_name", place.tools().get(result.toolCallId()))
              .put("content", result.text());
        }
      }
      default -> place.messages().addObject().put("role", "user").put("content", message.text());
    }
  }

  private static ObjectNode answer(Message message, String model) {
    var written = JSON.objectNode().put("role", "assistant").put("content", message.text());
    written.setAll(KeptFields.ofMessage(message, model));
    if (!message.toolCalls().isEmpty()) {
      var calls = written.putArray("tool_calls");
      for (var call : message.toolCalls()) {
        var entry = calls.addObject().put("id", call.id());
        entry.setAll(KeptFields.ofCall(call, model));
        entry.putObject("function").put("name", call.name()).set("arguments", call.arguments());
      }
    }
    return written;
  }

  @Override
  public Consumer<JsonNode> reader(AnswerDraft draft) {
    return new OllamaAnswer(draft);
  }
}
