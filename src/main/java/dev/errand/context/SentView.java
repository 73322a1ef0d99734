package dev.errand.context;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.JsonText;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.TextCut;
import dev.errand.session.StoredMessage;
import dev.errand.session.Transcript.Stubs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a transcript that is sent (architecture, rule 19): old results of tools as stubs, the
 * results of one turn within their budget, and the newest summary in place of what it covers. It
 * depends on nothing but its components, so that the beginning of a conversation stays the same
 * from call to call and providers can keep it in their caches.
 *
 * @param stored as {@link dev.errand.session.Transcript#current} returns it
 */
record SentView(List<StoredMessage> stored, Stubs stubs, ContextLimits limits) {

  /** A result that is not longer than this is not worth a stub. */
  private static final int SHORT = 200;

  private static final String STUB =
      "[This old result of %,d characters is left out. Call the tool again if you need it.]";

  private static final String CUT =
      "\n[%,d of %,d characters are left out, because the results of one turn may have %,d characters together."
          + " To read the rest, call the tool again for a smaller part, or with fewer other calls in the same turn.]";

  private static final String SUMMARY =
      """
      <conversation_summary>
      Messages %d to %d of this conversation are left out. This is their summary:

      %s
      </conversation_summary>\
      """;

  /** Returns the messages to send, in order. */
  List<Message> messages() {
    var summary = newestSummary();
    var covers = summary.map(StoredMessage::covers).orElse(null);
    if (covers == null) {
      return stored.stream().map(this::sent).toList();
    }
    var messages = new ArrayList<Message>();
    part(0, covers.fromSeq()).forEach(messages::add);
    messages.add(sent(summary.orElseThrow()));
    lastRequest()
        .filter(request -> request.seq() >= covers.fromSeq() && request.seq() <= covers.toSeq())
        .filter(request -> request.message().text().length() <= limits.requestChars())
        .ifPresent(request -> messages.add(request.message()));
    part(covers.toSeq() + 1, Long.MAX_VALUE).forEach(messages::add);
    return messages;
  }

  /** Returns the summary that is sent. */
  Optional<StoredMessage> newestSummary() {
    return stored.stream().filter(SentView::isSummary).reduce((_, later) -> later);
  }

  /** Returns a message as it is sent. */
  Message sent(StoredMessage message) {
    return switch (message.message().role()) {
      case TOOL -> message.seq() <= stubs.toSeq() ? stubbed(message) : budgeted(message.message());
      case SYSTEM -> {
        var covers = message.covers();
        yield covers == null ? message.message() : summary(message.message(), covers);
      }
      case USER, ASSISTANT -> message.message();
    };
  }

  /** Returns the message with stubs in place of its results. */
  Message stubbed(StoredMessage message) {
    return withResults(
        message.message(),
        result ->
            result.text().length() <= SHORT
                ? result.text()
                : STUB.formatted(result.text().length()));
  }

  private List<Message> part(long fromSeq, long endSeq) {
    return stored.stream()
        .filter(message -> message.seq() >= fromSeq && message.seq() < endSeq)
        .filter(message -> !isSummary(message))
        .map(this::sent)
        .toList();
  }

  private Optional<StoredMessage> lastRequest() {
    return stored.reversed().stream().filter(message -> isRequest(message.message())).findFirst();
  }

  /** Returns whether this is a request to the agent, by its user or by the parent. */
  static boolean isRequest(Message message) {
    return message.role() == MessageRole.USER && message.kind() == MessageKind.MESSAGE;
  }

  private static boolean isSummary(StoredMessage message) {
    return message.covers() != null;
  }

  private static Message summary(Message stored, Covered covers) {
    var text = SUMMARY.formatted(covers.fromSeq(), covers.toSeq(), stored.text());
    return new Message(MessageRole.USER, MessageKind.SUMMARY, List.of(new Content.Text(text)));
  }

  /**
   * Each result has an equal share of the budget; what short ones do not need goes to the others.
   */
  private Message budgeted(Message message) {
    var lengths =
        message.content().stream()
            .mapToLong(part -> result(part).text().length())
            .sorted()
            .toArray();
    var left = limits.turnResultChars();
    var share = Long.MAX_VALUE;
    for (int index = 0; index < lengths.length; index++) {
      var equal = left / (lengths.length - index);
      if (lengths[index] > equal) {
        share = equal;
        break;
      }
      left -= lengths[index];
    }
    var allowed = share;
    return allowed == Long.MAX_VALUE
        ? message
        : withResults(message, result -> cut(result.text(), allowed));
  }

  private String cut(String text, long share) {
    if (text.length() <= share) {
      return text;
    }
    var head = TextCut.head(text, (int) share);
    return head
        + CUT.formatted(text.length() - head.length(), text.length(), limits.turnResultChars());
  }

  private interface ViewChange {
    String text(Content.ToolResult result);
  }

  private static Message withResults(Message message, ViewChange change) {
    return Message.tool(
        message.content().stream()
            .map(SentView::result)
            .map(result ->
                new Content.ToolResult(result.toolCallId(), change.text(result), result.isError()))
            .toList());
  }

  private static Content.ToolResult result(Content part) {
    return (Content.ToolResult) part;
  }

  /** Returns the characters of a part of the transcript as it is sent, without system messages. */
  long sentChars(List<StoredMessage> part) {
    return part.stream()
        .filter(message -> message.message().role() != MessageRole.SYSTEM)
        .mapToLong(message -> chars(sent(message)))
        .sum();
  }

  static long chars(Message message) {
    return message.content().stream()
        .mapToLong(part ->
            switch (part) {
              case Content.Text text -> text.text().length() + length(text.metadata());
              case Content.ToolCall call ->
                  call.name().length() + length(call.arguments()) + length(call.metadata());
              case Content.ToolResult result -> result.text().length();
            })
        .sum();
  }

  private static long length(@Nullable JsonNode value) {
    return value == null ? 0 : JsonText.of(value).length();
  }
}
