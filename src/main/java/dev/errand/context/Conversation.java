package dev.errand.context;

import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.model.ContextWindows;
import dev.errand.session.StoredMessage;
import dev.errand.session.Transcript;
import dev.errand.session.Transcript.Stubs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The messages of a session while a run drives it, and how much of them fits into the context
 * window of its model. Decides what is left out; changes nothing in the database. The messages are
 * loaded at each turn boundary, and dropped as soon as the request is made of them.
 */
public final class Conversation {

  private final List<StoredMessage> messages = new ArrayList<>();
  private Stubs stubs = Stubs.NONE;
  private ContextLimits limits;
  private long refusedTokens = Long.MAX_VALUE;
  private double density = 1;
  private long summaryDueFrom;
  private boolean refused;
  private long storedChars;

  /** Starts without messages. */
  public Conversation(ContextLimits limits) {
    this.limits = limits;
  }

  /** Replaces the messages by the current ones of the session. */
  public void reload(Transcript.CurrentTranscript current) {
    messages.clear();
    messages.addAll(current.messages());
    storedChars = messages.stream().mapToLong(stored -> SentView.chars(stored.message())).sum();
    stubs = current.stubs();
  }

  /** Drops the messages, so that they need no memory until they are loaded again. */
  public void unload() {
    messages.clear();
  }

  /** Returns the characters of the messages as they are stored, also while they are not loaded. */
  public long storedChars() {
    return storedChars;
  }

  /** Leaves out further results of tools. */
  public void stubbed(Stubs further) {
    stubs = further;
  }

  /**
   * Records that a summary was made: the next one is due as soon as the conversation is too long
   * again.
   */
  public void summarised() {
    summaryDueFrom = 0;
  }

  /**
   * Records that no summary could be made at about that many tokens: the next one is due after some
   * growth.
   */
  public void summaryFailed(long tokens) {
    summaryDueFrom = limits.nextSummary(tokens);
  }

  /**
   * Returns whether a request of about that many tokens is shortened first, as one that was refused
   * is.
   */
  public boolean isSummaryDue(long tokens) {
    return refused || (limits.isTooHigh(tokens) && tokens >= summaryDueFrom);
  }

  /** Sets the limits of the model that is called next. What was refused is not sent again. */
  public void mayFill(ContextLimits ofModel) {
    limits = ofModel.narrowedTo(refusedTokens);
  }

  /** Records that the model has refused a request of about that many tokens. */
  public void refused(long tokens) {
    refusedTokens = Math.min(refusedTokens, tokens);
    limits = limits.narrowedTo(tokens);
    refused = true;
  }

  /** Returns whether the model has refused the last request. */
  public boolean wasRefused() {
    return refused;
  }

  /** The model has answered. */
  public void answered() {
    refused = false;
  }

  /** Returns the limits of the model that is called next. */
  public ContextLimits limits() {
    return limits;
  }

  /** Returns what is sent to the model. */
  public List<Message> sent() {
    return view().messages();
  }

  private SentView view() {
    return new SentView(new RepeatedCalls(messages).noted(), stubs, limits);
  }

  /** Returns the last request to the agent, by its user or by the parent. */
  public String request() {
    return lastRequest().map(stored -> stored.message().text()).orElse("");
  }

  /** Returns the last request as a message; empty when there was none. */
  public Optional<StoredMessage> lastRequest() {
    return last(SentView::isRequest);
  }

  /** Returns the text of the agent's last message. */
  public String answer() {
    return last(message -> message.role() == MessageRole.ASSISTANT)
        .map(stored -> stored.message().text())
        .orElse("");
  }

  /** Returns whether the text of the agent's last message ends at the token limit. */
  public boolean answerIsCut() {
    return last(message -> message.role() == MessageRole.ASSISTANT)
        .filter(stored -> stored.message().isCut())
        .isPresent();
  }

  /** Returns whether the agent makes the same call over and over. */
  public boolean repeatsItself() {
    return new RepeatedCalls(messages).endRun();
  }

  /** Returns whether the last message is the agent's own. */
  public boolean nothingToAnswer() {
    return last().map(stored -> stored.message().role() == MessageRole.ASSISTANT).orElse(true);
  }

  /** Returns the last message, not counting system messages. */
  public Optional<StoredMessage> last() {
    return Transcript.CurrentTranscript.last(messages);
  }

  private Optional<StoredMessage> last(Predicate<Message> which) {
    return messages.reversed().stream().filter(stored -> which.test(stored.message())).findFirst();
  }

  /**
   * Estimates the size of the next request: from its characters, or from the usage that the last
   * answer reported, whichever is higher. After the conversation was shortened, the relation of the
   * two still applies.
   *
   * @param frame the characters that the request contains in addition to the conversation
   */
  public long tokens(long frame) {
    var byLength = ofChars(chars(frame));
    var byUsage = tokensByUsage();
    if (byUsage > 0) {
      density = Math.max(1, (double) byUsage / byLength);
    }
    return (long) Math.ceil(byLength * density);
  }

  private long chars(long frame) {
    return frame + sent().stream().mapToLong(SentView::chars).sum();
  }

  /**
   * Returns the tokens by the reported usage; 0 when there is no usage, or when it is that of
   * several calls or of a longer conversation.
   */
  private long tokensByUsage() {
    var last = last(message -> message.role() == MessageRole.ASSISTANT).orElse(null);
    if (last == null
        || last.usage().inputTokens() == 0
        || last.usage().outputTokens() > limits.answerTokens()
        || last.seq() < shortenedAt()) {
      return 0;
    }
    var later = messages.stream().filter(message -> message.seq() > last.seq()).toList();
    return last.usage().inputTokens()
        + last.usage().outputTokens()
        + ofChars(view().sentChars(later));
  }

  private long shortenedAt() {
    return Math.max(stubs.atSeq(), view().newestSummary().map(StoredMessage::seq).orElse(0L));
  }

  /**
   * Returns the stubs that reduce a request of that many tokens to the lower limit, or come as
   * close to it as possible. Results that the model has not seen yet are never left out.
   *
   * @return empty when there is nothing more to leave out, or so little that a changed beginning of
   *     the request would cost more than it saves
   */
  public Optional<Stubs> furtherStubs(long tokens, long frame) {
    var view = view();
    var excess = (double) (tokens - limits.low()) / tokens * chars(frame);
    var total = 0L;
    var seen =
        last(message -> message.role() == MessageRole.ASSISTANT).map(StoredMessage::seq).orElse(0L);
    var covered = view.newestSummary().map(StoredMessage::covers).map(Covered::toSeq).orElse(0L);
    var to = 0L;
    for (var message : messages) {
      if (message.message().role() == MessageRole.TOOL
          && message.seq() > Math.max(stubs.toSeq(), covered)
          && message.seq() < seen
          && excess > 0) {
        var saved = SentView.chars(view.sent(message)) - SentView.chars(view.stubbed(message));
        to = saved > 0 ? message.seq() : to;
        excess -= saved;
        total += saved;
      }
    }
    var worthwhile = total >= limits.worthwhileChars() || limits.isTooHigh(tokens);
    return to == 0 || !worthwhile
        ? Optional.empty()
        : Optional.of(new Stubs(to, messages.getLast().seq() + 1));
  }

  /** Returns the messages to summarise; empty when this would not shorten the conversation much. */
  public Optional<OlderMessages> older() {
    return OlderMessages.of(messages, view());
  }

  private static long ofChars(long chars) {
    return Math.ceilDiv(chars, ContextWindows.CHARS_PER_TOKEN);
  }
}
