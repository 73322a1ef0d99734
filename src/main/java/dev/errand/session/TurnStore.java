package dev.errand.session;

import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Pipeline;
import dev.errand.session.Transcript.Stubs;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Saves what the model said, before any call that it asks for starts, and counts what that has
 * used.
 */
@Singleton
public class TurnStore {

  private final Jdbi jdbi;
  private final Fence fence;
  private final Transcript transcript;
  private final NewMessages messages;
  private final Inbox inbox;
  private final PlannedCalls planned;
  private final SessionEvents events;
  private final ModelCallEvents modelCalls;
  private final TreeStore trees;

  TurnStore(
      Jdbi jdbi,
      Fence fence,
      Transcript transcript,
      NewMessages messages,
      Inbox inbox,
      PlannedCalls planned,
      SessionEvents events,
      ModelCallEvents modelCalls,
      TreeStore trees) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.transcript = transcript;
    this.messages = messages;
    this.inbox = inbox;
    this.planned = planned;
    this.events = events;
    this.modelCalls = modelCalls;
    this.trees = trees;
  }

  /**
   * An answer of the model.
   *
   * @param effects of the calls, in their order
   * @param call that gave the answer
   * @param sent the request of this call; null when it is not kept
   */
  public record ModelTurn(
      List<Content> content,
      List<ToolEffect> effects,
      Usage usage,
      ModelCall call,
      @Nullable SentRequest sent) {

    public Message message() {
      return Message.assistant(content);
    }
  }

  /**
   * Saves the assistant message, counts it, and plans its tool calls.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  public NewMessages.AppendedMessage save(Lease lease, MessageId id, ModelTurn turn) {
    var pipeline = new Pipeline();
    var answer = append(pipeline, line(lease, id, turn, false), turn);
    pipeline.execute(jdbi);
    return saved(lease, turn, answer);
  }

  /**
   * An answer after which its session is idle.
   *
   * @param waiting the unread entries of the session, which may not stay idle with them
   */
  record LastAnswer(NewMessages.AppendedMessage said, List<UnreadEntry> waiting) {}

  /**
   * Saves an answer without tool calls, makes the session idle, and reads its inbox, in one round
   * trip.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional(Transactional.TxType.MANDATORY)
  LastAnswer saveLast(Lease lease, MessageId id, ModelTurn turn) {
    var pipeline = new Pipeline();
    var answer = append(pipeline, line(lease, id, turn, true), turn);
    var waiting = inbox.waiting(pipeline, lease.session());
    pipeline.execute(jdbi);
    return new LastAnswer(saved(lease, turn, answer), Inbox.inOrder(waiting));
  }

  private static NewMessages.MessageToAppend line(
      Lease lease, MessageId id, ModelTurn turn, boolean last) {
    var origin = MessageOrigin.of(turn.call(), turn.usage());
    var count = new NewMessages.Count(lease.epoch(), true, last);
    return new NewMessages.MessageToAppend(
        lease.session(), id, turn.message(), origin, null, count);
  }

  private NewMessages.AppendingMessage append(
      Pipeline pipeline, NewMessages.MessageToAppend line, ModelTurn turn) {
    var answer = messages.append(pipeline, line);
    SentRequests.keep(pipeline, line.id(), turn.sent());
    return answer;
  }

  private NewMessages.AppendedMessage saved(
      Lease lease, ModelTurn turn, NewMessages.AppendingMessage answer) {
    var saved = messages.said(answer).orElseThrow(() -> new LeaseLost(lease));
    var seq = saved.message().seq();
    modelCalls.answered(lease.session(), turn.call(), seq, turn.usage());
    planned.plan(lease, seq, turn.message().toolCalls(), turn.effects());
    trees.count(saved.session().root(), turn.usage());
    return saved;
  }

  /**
   * A summary of older messages.
   *
   * @param covers the messages that it is sent in place of
   * @param call that gave it
   */
  public record Summary(String text, Covered covers, Usage usage, ModelCall call) {}

  /**
   * Saves a summary and counts its tokens. It is no turn.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  public void save(Lease lease, MessageId id, Summary summary) {
    var origin = MessageOrigin.of(summary.call(), summary.usage());
    var line =
        new NewMessages.MessageToAppend(
            lease.session(),
            id,
            Message.summary(summary.text()),
            origin,
            summary.covers(),
            new NewMessages.Count(lease.epoch(), false, false));
    var said = messages.append(line).orElseThrow(() -> new LeaseLost(lease));
    var saved = said.message();
    modelCalls.answered(lease.session(), summary.call(), saved.seq(), summary.usage());
    events.summarised(lease.session(), saved);
    trees.count(said.session().root(), summary.usage());
  }

  /**
   * Stores which results are left out of what is sent.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void stub(Lease lease, Stubs stubs) {
    var stored =
        jdbi.withHandle(handle ->
            handle
                .createUpdate(
                    """
                    update session set stubs_to = :to, stubs_at = :at
                    where id = :id and epoch = :epoch and state = 'running'
                    """)
                .bind("to", stubs.toSeq())
                .bind("at", stubs.atSeq())
                .bind("id", lease.session())
                .bind("epoch", lease.epoch())
                .execute());
    if (stored == 0) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * Returns what an earlier save with this id has stored, whose commit was not answered. An earlier
   * save that is still being committed is waited for, because it has locked the session's row.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public Optional<StoredMessage> saved(Lease lease, MessageId id) {
    var ignored = fence.lock(lease);
    return transcript.find(id);
  }

  /**
   * Returns whether an earlier save with this id has stored the message, whose commit was not
   * answered, also when the session rests since then. A save that is still being committed is
   * waited for.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public boolean isSaved(SessionId session, MessageId id) {
    fence.lock(session);
    return transcript.find(id).isPresent();
  }
}
