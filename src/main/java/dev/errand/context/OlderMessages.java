package dev.errand.context;

import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.QuotedConversation;
import dev.errand.session.StoredMessage;
import java.util.List;
import java.util.Optional;

/**
 * The messages that a summary is made of: all but the first request, unless it is very long, and
 * the latest turns. A turn with calls is never separated from its results, and what the model has
 * not answered yet is kept.
 *
 * @param covers the messages that the summary will be sent in place of
 * @param before the summary of the first ones; empty if there is none
 */
public record OlderMessages(Covered covers, String before, List<StoredMessage> messages) {

  /**
   * Returns the messages to summarise; empty when a summary would not shorten the conversation
   * much.
   */
  static Optional<OlderMessages> of(List<StoredMessage> messages, SentView view) {
    var summary = view.newestSummary();
    var covered = summary.map(StoredMessage::covers);
    var base = covered.map(Covered::toSeq).orElse(0L);
    var from =
        covered.map(Covered::fromSeq).orElseGet(() -> afterFirstRequest(messages.getFirst(), view));
    var end = tailStart(messages, view, base);
    var older =
        messages.stream()
            .filter(message -> message.seq() > base && message.seq() >= from && message.seq() < end)
            .filter(message -> message.message().role() != MessageRole.SYSTEM)
            .toList();
    if (view.sentChars(older) < view.limits().worthwhileChars()) {
      return Optional.empty();
    }
    return Optional.of(
        new OlderMessages(
            new Covered(from, end - 1),
            summary.map(stored -> stored.message().text()).orElse(""),
            older));
  }

  /**
   * Returns the oldest turns of these, as many as can be quoted in that many characters, but at
   * least one. The next summary continues with the others.
   */
  OlderMessages within(long chars) {
    var end = 0;
    var quoted = 0L;
    for (int next = 1; next <= messages.size(); next++) {
      quoted += QuotedConversation.chars(messages.get(next - 1).message(), chars);
      if (end > 0 && quoted > chars) {
        break;
      }
      var isWhole =
          next == messages.size() || messages.get(next).message().role() != MessageRole.TOOL;
      end = isWhole ? next : end;
    }
    return end == messages.size()
        ? this
        : new OlderMessages(
            new Covered(covers.fromSeq(), messages.get(end).seq() - 1),
            before,
            messages.subList(0, end));
  }

  /** Returns the messages as a text for the model. */
  String quoted(long chars) {
    return new QuotedConversation(messages.stream().map(StoredMessage::message).toList(), chars)
        .text();
  }

  private static long afterFirstRequest(StoredMessage first, SentView view) {
    var kept =
        first.message().role() == MessageRole.USER
            && first.message().kind() != MessageKind.NOTICE
            && first.message().text().length() <= view.limits().requestChars();
    return kept ? first.seq() + 1 : first.seq();
  }

  /** Returns the place of the first message that is kept. */
  private static long tailStart(List<StoredMessage> messages, SentView view, long base) {
    var index = messages.size();
    while (index > 0 && !isAnswered(messages.get(index - 1).message())) {
      index--;
    }
    if (index == 0) {
      return 0;
    }
    if (!messages.get(index - 1).message().toolCalls().isEmpty()) {
      index--;
    }
    var start = index;
    var chars = view.sentChars(messages.subList(start, messages.size()));
    while (index > 0 && messages.get(index - 1).seq() > base) {
      index--;
      chars += view.sentChars(List.of(messages.get(index)));
      if (chars > view.limits().tailChars()) {
        break;
      }
      start = messages.get(index).message().role() == MessageRole.TOOL ? start : index;
    }
    return start == messages.size() ? messages.getLast().seq() + 1 : messages.get(start).seq();
  }

  /** Returns whether this is an answer of the model, or the error that took its place. */
  private static boolean isAnswered(Message message) {
    return message.role() == MessageRole.ASSISTANT
        || (message.role() == MessageRole.SYSTEM && message.kind() != MessageKind.SUMMARY);
  }
}
