package dev.errand.model.offline;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Collectors;

/** What was said so far, without what is for people only. */
record Transcript(List<Message> messages) {

  /** A tool call and its answer. */
  record Exchange(Content.ToolCall call, Content.ToolResult result) {

    boolean of(String tool) {
      return call.name().equals(tool);
    }
  }

  static Transcript of(List<Message> conversation) {
    return new Transcript(
        conversation.stream().filter(message -> message.role() != Role.SYSTEM).toList());
  }

  /** The user messages and notices since the model last spoke or called, oldest first. */
  List<Message> news() {
    var start = messages.size();
    while (start > 0 && messages.get(start - 1).role() == Role.USER) {
      start--;
    }
    return messages.subList(start, messages.size());
  }

  /** The answers to the calls of the model's last turn; empty when that called nothing. */
  List<Content.ToolResult> lastResults() {
    var last = messages.size() - news().size() - 1;
    return last < 0 || messages.get(last).role() != Role.TOOL
        ? List.of()
        : results(messages.get(last));
  }

  /** What was asked last, in the words of the asker; empty when nothing was. */
  String request() {
    return messages.reversed().stream()
        .filter(Transcript::isRequest)
        .map(Message::text)
        .findFirst()
        .orElse("");
  }

  /** What came after the last request. */
  Transcript sinceRequest() {
    var start = messages.size();
    while (start > 0 && !isRequest(messages.get(start - 1))) {
      start--;
    }
    return new Transcript(messages.subList(start, messages.size()));
  }

  /** Every answered call, in the order of the answers. */
  List<Exchange> exchanges() {
    var calls = new HashMap<String, Content.ToolCall>();
    var exchanges = new ArrayList<Exchange>();
    for (var message : messages) {
      message.toolCalls().forEach(call -> calls.put(call.id(), call));
      for (var result : results(message)) {
        var call = calls.get(result.toolCallId());
        if (call != null) {
          exchanges.add(new Exchange(call, result));
        }
      }
    }
    return exchanges;
  }

  /** The texts of the notices, oldest first. */
  List<String> notices() {
    return messages.stream().filter(Transcript::isNotice).map(Message::text).toList();
  }

  static boolean isNotice(Message message) {
    return message.role() == Role.USER && message.kind() == MessageKind.NOTICE;
  }

  static boolean isRequest(Message message) {
    return message.role() == Role.USER
        && message.kind() == MessageKind.MESSAGE
        && !message.text().isBlank();
  }

  private static List<Content.ToolResult> results(Message message) {
    return message.content().stream()
        .filter(Content.ToolResult.class::isInstance)
        .map(Content.ToolResult.class::cast)
        .collect(Collectors.toUnmodifiableList());
  }
}
