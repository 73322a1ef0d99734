package dev.errand.session;

import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Usage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Saves what the model said, before any call that it asks for starts. */
@ApplicationScoped
public class TurnStore {

  private static final String COUNT =
      """
      update session
      set run_turns = run_turns + 1, turns = turns + 1, takeovers = 0, away_since = null, tries = 0,
          error_code = null, error_message = null, error_at = null,
          tool_calls = tool_calls + :calls,
          input_tokens = input_tokens + :input, cached_input_tokens = cached_input_tokens + :cached,
          output_tokens = output_tokens + :output
      where id = :id and epoch = :epoch and state = 'running'
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final Transcript transcript;
  private final ToolLedger ledger;
  private final SessionEvents events;

  TurnStore(
      Jdbi jdbi, Fence fence, Transcript transcript, ToolLedger ledger, SessionEvents events) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.transcript = transcript;
    this.ledger = ledger;
    this.events = events;
  }

  /**
   * One answer of the model.
   *
   * @param effects of the calls, in their order
   * @param call that gave the answer
   */
  public record Turn(
      List<Content> content, List<ToolEffect> effects, Usage usage, ModelCall call) {}

  /**
   * Saves the assistant message, counts it, and plans its tool calls.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  public StoredMessage save(Lease lease, MessageId id, Turn turn) {
    var message = Message.assistant(turn.content());
    count(lease, turn.usage(), message.toolCalls().size());
    var origin = SessionEvents.Origin.of(turn.call(), turn.usage());
    var saved = transcript.append(lease, id, message, origin);
    events.modelAnswered(lease.session(), turn.call(), saved.seq(), turn.usage());
    for (int index = 0; index < message.toolCalls().size(); index++) {
      ledger.plan(
          lease.session(),
          new CallKey(saved.seq(), index),
          message.toolCalls().get(index),
          turn.effects().get(index));
    }
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
  public StoredMessage save(Lease lease, MessageId id, Summary summary) {
    var ignored = fence.hold(lease);
    jdbi.useHandle(handle ->
        handle.execute(
            """
            update session set input_tokens = input_tokens + ?, cached_input_tokens = cached_input_tokens + ?,
                               output_tokens = output_tokens + ?
            where id = ?
            """,
            summary.usage().inputTokens(),
            summary.usage().cachedInputTokens(),
            summary.usage().outputTokens(),
            lease.session().value()));
    var origin = SessionEvents.Origin.of(summary.call(), summary.usage());
    var saved =
        transcript.append(lease, id, Message.summary(summary.text()), summary.covers(), origin);
    events.modelAnswered(lease.session(), summary.call(), saved.seq(), summary.usage());
    events.summarised(lease.session(), saved);
    return saved;
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
                .bind("id", lease.session().value())
                .bind("epoch", lease.epoch())
                .execute());
    if (stored == 0) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * What an earlier save with this id has stored, whose commit was not answered. An earlier save
   * that is still being committed is waited for, because it holds the session's row.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public Optional<StoredMessage> saved(Lease lease, MessageId id) {
    var ignored = fence.hold(lease);
    return transcript.find(id);
  }

  /**
   * A model call failed, and is not repeated as it is.
   *
   * @param error a word for programs
   */
  @Transactional
  public void callFailed(Lease lease, ModelCall call, String error) {
    events.modelFailed(lease.session(), call, error);
  }

  /**
   * A model call failed and is repeated.
   *
   * @param error a word for programs
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void callRepeated(Lease lease, ModelCall failed, String error, ModelCall next) {
    fence.share(lease);
    events.modelFailed(lease.session(), failed, error);
    events.modelStarted(lease.session(), next);
  }

  private void count(Lease lease, Usage usage, int calls) {
    var counted =
        jdbi.withHandle(handle ->
            handle
                .createUpdate(COUNT)
                .bind("id", lease.session().value())
                .bind("epoch", lease.epoch())
                .bind("calls", calls)
                .bind("input", usage.inputTokens())
                .bind("cached", usage.cachedInputTokens())
                .bind("output", usage.outputTokens())
                .execute());
    if (counted == 0) {
      throw new LeaseLost(lease);
    }
  }
}
