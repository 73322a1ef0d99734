package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jdbi.v3.core.Jdbi;

/**
 * The transitions of a session's state. Each method is one step in its caller's transaction and
 * changes the session's row first, so that what the caller adds – a task's start, its end, its
 * outbox row – commits with it.
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
   * Keeps a run's session from being taken away until the transaction ends.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void lock(Lease lease) {
    var ignored = fence.lock(lease);
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

  /** Keeps a session from being used in any way, so that it can be deleted. */
  @Transactional(TxType.MANDATORY)
  public void lockToDelete(SessionId id) {
    jdbi.useHandle(handle -> handle.execute("select 1 from session where id = ? for update", id));
  }

  /**
   * Keeps a session from being changed until the transaction ends.
   *
   * @return whether a worker drives or will drive the session; false also when it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean lock(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select state in ('queued', 'running', 'waiting') from session where id = :id for no key update
                """)
            .bind("id", id)
            .mapTo(Boolean.class)
            .findOne()
            .orElse(false));
  }

  /**
   * Locks a session as {@link #lock} does, but never waits: a sweep skips a session that another
   * transaction has locked, and finds it again the next time.
   *
   * @return false when another transaction has locked the session, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryLock(SessionId id) {
    return exists("select 1 from session where id = :id for no key update skip locked", id);
  }

  /**
   * Locks a session that is at rest, without waiting.
   *
   * @return false when a worker drives or will drive the session, another transaction has locked
   *     it, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryLockAtRest(SessionId id) {
    return exists(
        """
        select 1 from session where id = :id and state not in ('queued', 'running', 'waiting')
        for no key update skip locked
        """,
        id);
  }

  /**
   * Keeps a session from being changed until the transaction ends; several transactions may do so.
   *
   * @return false when another transaction is changing the session, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryShare(SessionId id) {
    return exists("select 1 from session where id = :id for share skip locked", id);
  }

  private boolean exists(String sql, SessionId id) {
    return jdbi.withHandle(handle ->
        handle.createQuery(sql).bind("id", id).mapTo(Integer.class).findOne().isPresent());
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
