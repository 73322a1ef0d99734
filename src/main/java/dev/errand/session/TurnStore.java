package dev.errand.session;

import dev.errand.conversation.Content;
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
      set run_turns = run_turns + 1, turns = turns + 1, takeovers = 0,
          tool_calls = tool_calls + :calls,
          input_tokens = input_tokens + :input, output_tokens = output_tokens + :output
      where id = :id and epoch = :epoch and state = 'running'
      """;

  private final Jdbi jdbi;
  private final Fence fence;
  private final Transcript transcript;
  private final ToolLedger ledger;

  TurnStore(Jdbi jdbi, Fence fence, Transcript transcript, ToolLedger ledger) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.transcript = transcript;
    this.ledger = ledger;
  }

  /**
   * One answer of the model.
   *
   * @param effects of the calls, in their order
   */
  public record Turn(List<Content> content, List<ToolEffect> effects, Usage usage) {}

  /**
   * The assistant message of a turn.
   *
   * @param seq its place in the transcript
   */
  public record Saved(long seq, Message message) {}

  /**
   * Saves the assistant message, counts it, and plans its tool calls.
   *
   * @param id of the message; the same when the save is repeated
   * @throws LeaseLost the run no longer owns the session; nothing was saved
   */
  @Transactional
  public Saved save(Lease lease, MessageId id, Turn turn) {
    var message = Message.assistant(turn.content());
    count(lease, turn.usage(), message.toolCalls().size());
    var seq = transcript.append(lease, id, message, turn.usage());
    for (int index = 0; index < message.toolCalls().size(); index++) {
      ledger.plan(
          lease.session(),
          new CallKey(seq, index),
          message.toolCalls().get(index),
          turn.effects().get(index));
    }
    return new Saved(seq, message);
  }

  /**
   * What an earlier save with this id has stored, whose commit was not answered. An earlier save
   * that is still being committed is waited for, because it holds the session's row.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public Optional<Saved> saved(Lease lease, MessageId id, Turn turn) {
    var ignored = fence.hold(lease);
    return transcript.placeOf(id).map(seq -> new Saved(seq, Message.assistant(turn.content())));
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
                .bind("output", usage.outputTokens())
                .execute());
    if (counted == 0) {
      throw new LeaseLost(lease);
    }
  }
}
