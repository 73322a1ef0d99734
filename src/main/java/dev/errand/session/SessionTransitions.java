package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jdbi.v3.core.Jdbi;

/**
 * The transitions of a session whose run ends. Each method is one step in its caller's transaction
 * and changes the session's row first, so that what the caller adds – a task's end, its outbox row
 * – commits with it.
 */
@Singleton
public class SessionTransitions {

  private static final String REST =
      """
      update session set state = 'idle', node_id = null, takeovers = 0, updated_at = now()
      where id = :id and epoch = :epoch and state = 'running'
      returning id, root_id, parent_id is null as is_root, case when parent_id is null then origin end as origin, created_at,
                turns, tool_calls, input_tokens, cached_input_tokens, output_tokens, cost
      """;

  private final Jdbi jdbi;
  private final SessionMapper mapper;
  private final Fence fence;
  private final Inbox inbox;
  private final Transcript transcript;
  private final SessionStops stops;
  private final Mailbox mailbox;
  private final WakeChain chain;

  SessionTransitions(
      Jdbi jdbi,
      SessionMapper mapper,
      Fence fence,
      Inbox inbox,
      Transcript transcript,
      SessionStops stops,
      Mailbox mailbox,
      WakeChain chain) {
    this.jdbi = jdbi;
    this.mapper = mapper;
    this.fence = fence;
    this.inbox = inbox;
    this.transcript = transcript;
    this.stops = stops;
    this.mailbox = mailbox;
    this.chain = chain;
  }

  /**
   * Ends the run because it failed. {@code reason} is added for readers of the transcript. Entries
   * that arrived in the meantime get a new run.
   *
   * @return false when a new run follows
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public boolean fail(Lease lease, String reason) {
    var locked = fence.lock(lease);
    var waiting = inbox.waiting(lease.session());
    if (chain.continuesAfterFailure(locked.isRoot(), waiting)) {
      transcript.append(lease.session(), MessageId.next(), Message.system(reason));
      rest(lease);
      mailbox.queue(lease.session(), "failed");
      return false;
    }
    stops.abandon(lease.session(), reason);
    return true;
  }

  /** Takes the session from its run, so that it is idle, and locks its row. */
  SessionTotals rest(Lease lease) {
    return jdbi.withHandle(handle ->
            handle
                .createQuery(REST)
                .bind("id", lease.session())
                .bind("epoch", lease.epoch())
                .map((row, _) -> mapper.totals(row))
                .findOne())
        .orElseThrow(() -> new LeaseLost(lease));
  }
}
