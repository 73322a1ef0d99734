package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings a transcript into a form that all providers accept: a user message first; no empty
 * messages, and consecutive messages of one author as one; each call directly followed by its
 * result, and all results of an answer in one message; names and ids that no provider refuses.
 */
final class SentConversation {

  private static final String NO_BEGINNING = "(The conversation continues.)";
  private static final String NO_RESULT = "(There is no result of this call.)";

  private final List<Message> written = new ArrayList<>();
  private final List<String> userTexts = new ArrayList<>();
  private final SentCalls sent = new SentCalls();

  /** The calls of the last assistant message by their original ids. */
  private final Map<String, Content.ToolCall> calls = new LinkedHashMap<>();

  /** The results of these calls, by the same ids. */
  private final Map<String, Content.ToolResult> results = new LinkedHashMap<>();

  private SentConversation() {}

  /** Returns the messages to send. */
  static List<Message> of(List<Message> transcript) {
    var conversation = new SentConversation();
    transcript.forEach(conversation::write);
    conversation.endToolCalls();
    conversation.endUserTurn();
    return conversation.written;
  }

  private void write(Message message) {
    switch (message.role()) {
      case SYSTEM -> {} // not for models
      case USER -> writeUser(message);
      case ASSISTANT -> writeAssistant(message);
      case TOOL -> message.content().forEach(this::addResult);
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
    if (message.text().isBlank() && message.toolCalls().isEmpty()) {
      return;
    }
    endToolCalls();
    endUserTurn();
    if (written.isEmpty()) {
      written.add(Message.user(NO_BEGINNING));
    }
    var text = text(message);
    if (written.getLast().role() == MessageRole.ASSISTANT) {
      text = List.of(new Content.Text(joined(written.removeLast().text(), message.text())));
    }
    var content = new ArrayList<Content>(text);
    for (var call : message.toolCalls()) {
      var sendable = sendable(call);
      calls.put(call.id(), sendable);
      content.add(sendable);
    }
    written.add(Message.assistant(content));
  }

  private static List<Content.Text> text(Message message) {
    return message.content().stream()
        .filter(Content.Text.class::isInstance)
        .map(Content.Text.class::cast)
        .filter(text -> !text.text().isBlank())
        .toList();
  }

  private static String joined(String before, String text) {
    return text.isBlank() ? before : before + "\n\n" + text;
  }

  private Content.ToolCall sendable(Content.ToolCall call) {
    return new Content.ToolCall(
        sent.id(call.id()),
        SentCalls.name(call.name()),
        sendable(call.arguments()),
        call.metadata());
  }

  /** Sends an empty object in place of anything else, which most providers refuse. */
  private static JsonNode sendable(JsonNode arguments) {
    return arguments.isObject() ? arguments : JsonNodeFactory.instance.objectNode();
  }

  private void addResult(Content part) {
    if (part instanceof Content.ToolResult result) {
      results.putIfAbsent(result.toolCallId(), result);
    }
  }

  private void endToolCalls() {
    if (!calls.isEmpty()) {
      var answers = new ArrayList<Content.ToolResult>();
      calls.forEach((id, call) -> answers.add(result(call.id(), results.get(id))));
      written.add(Message.tool(answers));
      calls.clear();
    }
    results.clear();
  }

  private static Content.ToolResult result(String id, Content.@Nullable ToolResult result) {
    if (result == null) {
      return new Content.ToolResult(id, NO_RESULT, true);
    }
    var text = result.text().isBlank() ? "(no output)" : result.text();
    return new Content.ToolResult(id, text, result.isError());
  }

  private void endUserTurn() {
    if (!userTexts.isEmpty()) {
      written.add(Message.user(String.join("\n\n", userTexts)));
      userTexts.clear();
    }
  }
}
