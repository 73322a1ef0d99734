package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.model.LanguageModel.ModelRequest;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a transcript in a form that all providers accept: the instructions first, then a user
 * message; no empty messages, and consecutive messages of one author as one; each call directly
 * followed by its result (langchain4j combines results into one user message for providers that
 * need it); names and ids that no provider refuses.
 */
final class ChatMessages {

  private static final String NO_BEGINNING = "(The conversation continues.)";
  private static final String NO_RESULT = "(There is no result of this call.)";

  /** Read by langchain4j for Anthropic, and by no other provider. */
  private static final Map<String, Object> CACHED = Map.of("cache_control", "ephemeral");

  private final List<ChatMessage> written = new ArrayList<>();
  private final List<String> userTexts = new ArrayList<>();
  private final SentCalls sent = new SentCalls();

  /** The calls of the last assistant message that have no result yet, by their original id. */
  private final Map<String, ToolExecutionRequest> open = new LinkedHashMap<>();

  private final String model;
  private final Map<String, JsonNode> metadata = new HashMap<>();

  /**
   * @param model that gets the request, with its provider
   */
  ChatMessages(ModelRequest request, String model) {
    this.model = model;
    if (!request.system().isBlank()) {
      written.add(SystemMessage.from(request.system()));
    }
    request.conversation().forEach(this::write);
    endToolCalls();
    endUserTurn();
    mark(written.size() - 1);
    mark(lastAnswer() - 1);
  }

  List<ChatMessage> all() {
    return written;
  }

  /** The metadata of the calls that this model made, by the ids that are sent. */
  Map<String, JsonNode> metadata() {
    return metadata;
  }

  private void write(Message message) {
    switch (message.role()) {
      case SYSTEM -> {} // not for models
      case USER -> writeUser(message);
      case ASSISTANT -> writeAssistant(message);
      case TOOL -> writeResults(message);
    }
  }

  private void writeUser(Message message) {
    if (!message.text().isBlank()) {
      endToolCalls();
      userTexts.add(message.text());
    }
  }

  /** Leaves out an empty answer, because providers refuse empty messages. */
  private void writeAssistant(Message message) {
    var text = message.text().isBlank() ? null : message.text();
    if (text == null && message.toolCalls().isEmpty()) {
      return;
    }
    endToolCalls();
    endUserTurn();
    if (written.isEmpty() || written.getLast() instanceof SystemMessage) {
      written.add(UserMessage.from(NO_BEGINNING));
    }
    if (written.getLast() instanceof AiMessage before) {
      written.removeLast();
      text = text == null ? before.text() : before.text() + "\n\n" + text;
    }
    var answer = AiMessage.builder().text(text);
    for (var call : message.toolCalls()) {
      var request = request(call);
      open.put(call.id(), request);
      var data = CallMetadata.of(call, model);
      if (data != null) {
        metadata.put(request.id(), data);
        CallMetadata.restore(data, answer);
      }
    }
    written.add(answer.toolExecutionRequests(List.copyOf(open.values())).build());
  }

  private ToolExecutionRequest request(Content.ToolCall call) {
    return ToolExecutionRequest.builder()
        .id(sent.id(call.id()))
        .name(SentCalls.name(call.name()))
        .arguments(sendable(call.arguments()))
        .build();
  }

  /** Sends an empty object in place of anything else, which most providers refuse. */
  private static String sendable(JsonNode arguments) {
    return arguments.isObject() ? arguments.toString() : "{}";
  }

  private void writeResults(Message message) {
    for (var part : message.content()) {
      if (part instanceof Content.ToolResult result && open.containsKey(result.toolCallId())) {
        var text = result.text().isBlank() ? "(no output)" : result.text();
        writeResult(open.remove(result.toolCallId()), text, result.isError());
      }
    }
  }

  private void writeResult(ToolExecutionRequest call, String text, boolean isError) {
    written.add(
        ToolExecutionResultMessage.builder()
            .id(call.id())
            .toolName(call.name())
            .text(text)
            .isError(isError)
            .build());
  }

  private void endToolCalls() {
    open.values().forEach(call -> writeResult(call, NO_RESULT, true));
    open.clear();
  }

  private void endUserTurn() {
    if (!userTexts.isEmpty()) {
      var text = userTexts.size() == 1 ? userTexts.getFirst() : String.join("\n\n", userTexts);
      written.add(UserMessage.from(text));
      userTexts.clear();
    }
  }

  private int lastAnswer() {
    var last = written.size() - 1;
    while (last >= 0 && !(written.get(last) instanceof AiMessage)) {
      last--;
    }
    return last;
  }

  /**
   * Lets the provider cache the request up to here: where it ends, and where the last one ended.
   */
  private void mark(int index) {
    if (index < 0) {
      return;
    }
    switch (written.get(index)) {
      case UserMessage user ->
          written.set(
              index, UserMessage.builder().contents(user.contents()).attributes(CACHED).build());
      case ToolExecutionResultMessage result ->
          written.set(
              index,
              ToolExecutionResultMessage.builder()
                  .id(result.id())
                  .toolName(result.toolName())
                  .text(result.text())
                  .isError(result.isError())
                  .attributes(CACHED)
                  .build());
      default -> {}
    }
  }
}
