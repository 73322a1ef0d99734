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

  /** The model has refused a request of about that many tokens. */
  void refused(long tokens) {
    limits = limits.narrowedTo(tokens);
  }

  ContextLimits limits() {
    return limits;
  }

  /** What is sent to the model. */
  List<Message> sent() {
    return view().messages();
  }

  private SentView view() {
    return new SentView(messages, stubs, limits);
  }

  /** The last request to the agent, by its user or by the parent. */
  String request() {
    return last(message -> message.role() == Role.USER && message.kind() == MessageKind.MESSAGE)
        .map(stored -> stored.message().text())
        .orElse("");
  }

  /** The text of the agent's last message. */
  String answer() {
    return last(message -> message.role() == Role.ASSISTANT)
        .map(stored -> stored.message().text())
        .orElse("");
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
   * Estimates the size of the next request: from its characters, and from the usage that the last
   * answer reported, whichever is higher.
   */
  long tokens(String system, List<ToolDefinition> tools) {
    return Math.max(tokens(chars(system, tools)), tokensByUsage());
  }

  private long chars(String system, List<ToolDefinition> tools) {
    return system.length()
        + tools.stream().mapToLong(Conversation::chars).sum()
        + sent().stream().mapToLong(Conversation::chars).sum();
  }

  /** 0 when there is no usage, or when it is that of a longer conversation. */
  private long tokensByUsage() {
    var last = last(message -> message.role() == Role.ASSISTANT).orElse(null);
    if (last == null || last.usage().inputTokens() == 0 || last.seq() < shortenedAt()) {
      return 0;
    }
    var later = messages.stream().filter(message -> message.seq() > last.seq());
    return last.usage().inputTokens()
        + last.usage().outputTokens()
        + tokens(later.map(view()::sent).mapToLong(Conversation::chars).sum());
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
