package dev.errand.demo;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** The conversation so far, without system messages. */
record ChatHistory(List<Message> messages) {

  /** A tool call and its result. */
  record Exchange(Content.ToolCall call, String text, boolean failed) {

    boolean isOf(String tool) {
      return call.name().equals(tool);
    }

    String argument(String name) {
      return call.arguments().path(name).asText();
    }
  }

  /** Returns the requests and notices since the last turn of the model. */
  ChatHistory news() {
    return after(message -> message.role() != MessageRole.USER);
  }

  ChatHistory sinceRequest() {
    return after(ChatHistory::isRequest);
  }

  private ChatHistory after(Predicate<Message> last) {
    var start = messages.size();
    while (start > 0 && !last.test(messages.get(start - 1))) {
      start--;
    }
    return new ChatHistory(messages.subList(start, messages.size()));
  }

  String request() {
    return requests().isEmpty() ? "" : requests().getLast();
  }

  List<String> requests() {
    return messages.stream().filter(ChatHistory::isRequest).map(Message::text).toList();
  }

  private static boolean isRequest(Message message) {
    return message.role() == MessageRole.USER && message.kind() == MessageKind.MESSAGE;
  }

  List<String> notices() {
    return messages.stream()
        .filter(message -> message.kind() == MessageKind.NOTICE)
        .map(Message::text)
        .toList();
  }

  /** Returns every call that has a result, in the order of the results. */
  List<Exchange> exchanges() {
    var calls = new HashMap<String, Content.ToolCall>();
    var exchanges = new ArrayList<Exchange>();
    for (var message : messages) {
      message.toolCalls().forEach(call -> calls.put(call.id(), call));
      for (var content : message.content()) {
        if (content instanceof Content.ToolResult result) {
          var call = Objects.requireNonNull(calls.get(result.toolCallId()));
          exchanges.add(new Exchange(call, result.text().stripTrailing(), result.isError()));
        }
      }
    }
    return exchanges;
  }
}
