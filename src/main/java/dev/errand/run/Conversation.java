package dev.errand.run;

import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.ToolDefinition;
import dev.errand.session.StoredMessage;
import dev.errand.session.Stubs;
import dev.errand.session.Transcript;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The messages of a session while a run drives it, and how much of them fits into the context
 * window of its model. Decides what is left out; changes nothing in the database.
 */
final class Conversation {

  private final List<StoredMessage> messages = new ArrayList<>();
  private Stubs stubs = Stubs.NONE;
  private ContextLimits limits;
  private double density = 1;
  private boolean summaryFailed;
  private boolean refused;

  Conversation(Transcript.Current current, ContextLimits limits) {
    this.limits = limits;
    reload(current);
  }

  void reload(Transcript.Current current) {
    messages.clear();
    messages.addAll(current.messages());
    stubs = current.stubs();
  }

  void addAll(List<StoredMessage> added) {
    messages.addAll(added);
  }

  void stubbed(Stubs further) {
    stubs = further;
  }

  /** The last attempt to summarise failed; another one follows only if the model refuses. */
  void summaryFailed(boolean failed) {
    summaryFailed = failed;
  }

  boolean summaryFailed() {
    return summaryFailed;
  }

  /** The model has refused a request of about that many tokens. */
  void refused(long tokens) {
    limits = limits.narrowedTo(tokens);
    refused = true;
  }

  /** Whether the model has refused the conversation since it was last asked. */
  boolean takeRefused() {
    var was = refused;
    refused = false;
    return was;
  }

  ContextLimits limits() {
    return limits;
  }

  /** What is sent to the model. */
  List<Message> sent() {
    return view().messages();
  }

  private SentView view() {
    return new SentView(new RepeatedCalls(messages).noted(), stubs, limits);
  }

  /** The last request to the agent, by its user or by the parent. */
  String request() {
    return last(SentView::isRequest).map(stored -> stored.message().text()).orElse("");
  }

  /** The text of the agent's last message. */
  String answer() {
    return last(message -> message.role() == Role.ASSISTANT)
        .map(stored -> stored.message().text())
        .orElse("");
  }

  /** Whether the text of the agent's last message ends at the token limit. */
  boolean answerIsCut() {
    return last(message -> message.role() == Role.ASSISTANT)
        .filter(stored -> stored.message().isCut())
        .isPresent();
  }

  /** Whether the agent makes the same call over and over. */
  boolean repeatsItself() {
    return new RepeatedCalls(messages).endRun();
  }

  boolean nothingToAnswer() {
    return last(message -> message.role() != Role.SYSTEM)
        .map(stored -> stored.message().role() == Role.ASSISTANT)
        .orElse(true);
  }

  private Optional<StoredMessage> last(Predicate<Message> which) {
    return messages.reversed().stream().filter(stored -> which.test(stored.message())).findFirst();
  }

  /**
   * Estimates the size of the next request: from its characters, or from the usage that the last
   * answer reported, whichever is higher. After the conversation was shortened, the relation of the
   * two still holds.
   */
  long tokens(String system, List<ToolDefinition> tools) {
    var byLength = tokens(chars(system, tools));
    var byUsage = tokensByUsage();
    if (byUsage > 0) {
      density = Math.max(1, (double) byUsage / byLength);
    }
    return (long) Math.ceil(byLength * density);
  }

  private long chars(String system, List<ToolDefinition> tools) {
    return system.length()
        + tools.stream().mapToLong(Conversation::chars).sum()
        + sent().stream().mapToLong(Conversation::chars).sum();
  }

  /** 0 when there is no usage, or when it is that of several calls or of a longer conversation. */
  private long tokensByUsage() {
    var last = last(message -> message.role() == Role.ASSISTANT).orElse(null);
    if (last == null
        || last.usage().inputTokens() == 0
        || last.usage().outputTokens() > limits.answerTokens()
        || last.seq() < shortenedAt()) {
      return 0;
    }
    var later = messages.stream().filter(message -> message.seq() > last.seq()).toList();
    return last.usage().inputTokens() + last.usage().outputTokens() + tokens(sentChars(later));
  }

  private long shortenedAt() {
    return Math.max(stubs.atSeq(), view().newestSummary().map(StoredMessage::seq).orElse(0L));
  }

  /**
   * The stubs that reduce a request of that many tokens to the lower limit, or come as close to it
   * as possible. Results that the model has not seen yet are never left out.
   *
   * @return empty when there is nothing more to leave out
   */
  Optional<Stubs> furtherStubs(long tokens, String system, List<ToolDefinition> tools) {
    var view = view();
    var excess = (double) (tokens - limits.low()) / tokens * chars(system, tools);
    var seen = last(message -> message.role() == Role.ASSISTANT).map(StoredMessage::seq).orElse(0L);
    var covered = view.newestSummary().map(StoredMessage::covers).map(Covered::toSeq).orElse(0L);
    var to = 0L;
    for (var message : messages) {
      if (message.message().role() == Role.TOOL
          && message.seq() > Math.max(stubs.toSeq(), covered)
          && message.seq() < seen
          && excess > 0) {
        var saved = chars(view.sent(message)) - chars(view.stubbed(message));
        to = saved > 0 ? message.seq() : to;
        excess -= saved;
      }
    }
    return to == 0 ? Optional.empty() : Optional.of(new Stubs(to, messages.getLast().seq() + 1));
  }

  /**
   * What a summary is made of.
   *
   * @param covers the messages that it will be sent in place of
   * @param before the summary of the first ones; empty if there is none
   */
  record Older(Covered covers, String before, List<Message> messages) {}

  /**
   * The messages to summarise: all but the first request, unless it is very long, and the latest
   * turns. A turn with calls is never separated from its results, and what the model has not
   * answered yet is kept.
   *
   * @return empty when this would not shorten the conversation much
   */
  Optional<Older> older() {
    var summary = view().newestSummary();
    var covered = summary.map(StoredMessage::covers);
    var base = covered.map(Covered::toSeq).orElse(0L);
    var from = covered.map(Covered::fromSeq).orElseGet(this::afterFirstRequest);
    var end = tailStart(base);
    var older =
        messages.stream()
            .filter(message -> message.seq() > base && message.seq() >= from && message.seq() < end)
            .filter(message -> message.message().role() != Role.SYSTEM)
            .toList();
    if (sentChars(older) < limits.worthwhileChars()) {
      return Optional.empty();
    }
    return Optional.of(
        new Older(
            new Covered(from, end - 1),
            summary.map(stored -> stored.message().text()).orElse(""),
            older.stream().map(StoredMessage::message).toList()));
  }

  private long afterFirstRequest() {
    var first = messages.getFirst();
    var kept =
        first.message().role() == Role.USER
            && first.message().kind() != MessageKind.NOTICE
            && first.message().text().length() <= limits.requestChars();
    return kept ? first.seq() + 1 : first.seq();
  }

  /** The place of the first message that is kept. */
  private long tailStart(long base) {
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
    var chars = sentChars(messages.subList(start, messages.size()));
    while (index > 0 && messages.get(index - 1).seq() > base) {
      index--;
      chars += sentChars(List.of(messages.get(index)));
      if (chars > limits.tailChars()) {
        break;
      }
      start = messages.get(index).message().role() == Role.TOOL ? start : index;
    }
    return start == messages.size() ? messages.getLast().seq() + 1 : messages.get(start).seq();
  }

  /** An answer of the model, or the error that took its place. */
  private static boolean isAnswered(Message message) {
    return message.role() == Role.ASSISTANT
        || (message.role() == Role.SYSTEM && message.kind() != MessageKind.SUMMARY);
  }

  /** Without system messages, which are sent elsewhere or not at all. */
  private long sentChars(List<StoredMessage> part) {
    var view = view();
    return part.stream()
        .filter(stored -> stored.message().role() != Role.SYSTEM)
        .mapToLong(stored -> chars(view.sent(stored)))
        .sum();
  }

  private static long tokens(long chars) {
    return Math.ceilDiv(chars, ContextLimits.CHARS_PER_TOKEN);
  }

  private static long chars(ToolDefinition tool) {
    return tool.name().length()
        + tool.description().length()
        + tool.parameters().toString().length();
  }

  private static long chars(Message message) {
    return message.content().stream()
        .mapToLong(part ->
            switch (part) {
              case Content.Text text -> text.text().length();
              case Content.ToolCall call ->
                  call.name().length() + call.arguments().toString().length();
              case Content.ToolResult result -> result.text().length();
            })
        .sum();
  }
}
