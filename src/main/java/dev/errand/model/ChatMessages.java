package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a transcript in a form that all providers accept: the instructions first, consecutive user
 * messages as one, no empty messages, and one result message per tool call (langchain4j combines
 * them into one user message for providers that need it).
 */
final class ChatMessages {

  private final List<ChatMessage> written = new ArrayList<>();
  private final List<String> userTexts = new ArrayList<>();
  private final Map<String, String> toolNames = new HashMap<>();

  ChatMessages(ModelRequest request) {
    if (!request.system().isBlank()) {
      written.add(SystemMessage.from(request.system()));
    }
    request.conversation().forEach(this::write);
    endUserTurn();
  }

  List<ChatMessage> all() {
    return written;
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
      userTexts.add(message.text());
    }
  }

  /** Leaves out an empty answer, because providers refuse empty messages. */
  private void writeAssistant(Message message) {
    var answer = AiMessage.builder();
    if (!message.text().isBlank()) {
      answer.text(message.text());
    }
    if (!message.text().isBlank() || !message.toolCalls().isEmpty()) {
      endUserTurn();
      written.add(answer.toolExecutionRequests(calls(message)).build());
    }
  }

  private List<ToolExecutionRequest> calls(Message message) {
    message.toolCalls().forEach(call -> toolNames.put(call.id(), call.name()));
    return message.toolCalls().stream()
        .map(call ->
            ToolExecutionRequest.builder()
                .id(call.id())
                .name(call.name())
                .arguments(sendable(call.arguments()))
                .build())
        .toList();
  }

  /** Sends an empty object in place of anything else, which most providers refuse. */
  private static String sendable(JsonNode arguments) {
    return arguments.isObject() ? arguments.toString() : "{}";
  }

  private void writeResults(Message message) {
    endUserTurn();
    for (var part : message.content()) {
      if (part instanceof Content.ToolResult result) {
        written.add(
            ToolExecutionResultMessage.builder()
                .id(result.toolCallId())
                .toolName(toolNames.getOrDefault(result.toolCallId(), "unknown"))
                .text(result.text().isBlank() ? "(no output)" : result.text())
                .isError(result.isError())
                .build());
      }
    }
  }

  private void endUserTurn() {
    if (!userTexts.isEmpty()) {
      written.add(UserMessage.from(String.join("\n\n", userTexts)));
      userTexts.clear();
    }
  }
}
