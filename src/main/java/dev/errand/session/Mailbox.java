package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Word;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The one way to wake a session: insert an inbox entry, mark the session queued, enqueue the job –
 * in one transaction. A running session reads the entry at its next turn boundary. A waiting one
 * wakes only for the answer that it waits for, because no message may be between a tool call and
 * its result. The results of tasks come by {@link InboxDelivery}.
 */
@Singleton
public class Mailbox {

  private static final String LOCK =
      """
      select kind, state, coalesce(waits_for = 'below', state = 'idle') as rests, stopped_at
      from session where id = :id for no key update
      """;

  private static final String QUEUE =
      """
      update session
      set state = 'queued', queued_at = clock_timestamp(), job_id = :job, updated_at = now(),
          trace_parent = coalesce(:trace, trace_parent),
          waits_for = null, waits_since = null, waits_until = null, waits_order = null, waits_on = null,
          stopped_at = case when not (state = 'idle' and :restarts) then stopped_at end,
          model_away_since = case when state <> 'idle' then model_away_since end,
          model_tries = case when state <> 'idle' then model_tries else 0 end,
          run_turns = case when (state = 'idle' or waits_for = 'below') and (:restarts or parent_id is null) then 0 else run_turns end
      where id = :id
      """;

  private static final String BEGIN =
      """
      update session
      set run_turns = 0, trace_parent = :trace, model_away_since = null, model_tries = 0, updated_at = now()
      where id = :id
      """;

  private final Jdbi jdbi;
  private final Inbox inbox;
  private final Transcript transcript;
  private final RunQueue runQueue;
  private final WakeChain chain;
  private final SessionEvents events;

  Mailbox(
      Jdbi jdbi,
      Inbox inbox,
      Transcript transcript,
      RunQueue runQueue,
      WakeChain chain,
      SessionEvents events) {
    this.jdbi = jdbi;
    this.inbox = inbox;
    this.transcript = transcript;
    this.runQueue = runQueue;
    this.chain = chain;
    this.events = events;
  }

  /**
   * The session to which an entry goes.
   *
   * @param rests whether the session is idle, or has answered and waits for the tasks below it
   */
  private record Address(SessionKind kind, SessionState state, boolean rests, boolean wasStopped) {}

  /**
   * Sends a message. A closed session accepts none.
   *
   * @return the state of the session after that; empty when the session does not exist
   */
  @Transactional
  public Optional<SessionState> send(SessionId to, MessageId id, InboxEntry.UserMessage message) {
    return lock(to).map(address -> put(to, address, id, message));
  }

  /** Queues a session after {@link #putToIdle}, in the same transaction. */
  @Transactional(TxType.MANDATORY)
  public void wake(SessionId session) {
    queue(session, true, TraceContext.current(), "message");
  }

  /**
   * Adds a command and its output without waking the session: a session at rest has it in its
   * transcript at once, a busy one at its next turn boundary.
   *
   * @return false when the session is closed or does not exist; nothing was added
   */
  @Transactional
  public boolean note(SessionId to, MessageId id, String command) {
    var entry = new InboxEntry.UserMessage(command, MessageKind.COMMAND);
    var open = lock(to).filter(address -> address.state() != SessionState.CLOSED);
    open.ifPresent(address -> {
      if (address.rests()) {
        transcript.append(to, id, entry.asMessage());
        chain.restart(to);
      } else {
        inbox.put(to, id, entry);
      }
    });
    return open.isPresent();
  }

  /**
   * Puts a message into the inbox of an idle session without waking it. {@link #wake} or a wait
   * follows.
   *
   * @return false when the session is not idle; nothing was sent
   */
  @Transactional(TxType.MANDATORY)
  public boolean putToIdle(SessionId to, MessageId id, InboxEntry.UserMessage message) {
    if (lock(to).filter(address -> address.state() == SessionState.IDLE).isEmpty()) {
      return false;
    }
    jdbi.useHandle(handle ->
        handle.createUpdate(BEGIN).bind("id", to).bind("trace", TraceContext.current()).execute());
    inbox.put(to, id, message);
    return true;
  }

  /**
   * Removes the entry of an outbox row that no turn has read; called after the session was locked.
   *
   * @return false when there is no such entry
   */
  @Transactional(TxType.MANDATORY)
  public boolean withdraw(UUID outboxId) {
    return inbox.withdraw(outboxId);
  }

  private Optional<Address> lock(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LOCK)
            .bind("id", id)
            .map((row, _) ->
                new Address(
                    Word.of(SessionKind.class, row.getString("kind")),
                    Word.of(SessionState.class, row.getString("state")),
                    row.getBoolean("rests"),
                    row.getTimestamp("stopped_at") != null))
            .findOne());
  }

  private SessionState put(
      SessionId to, Address address, MessageId id, InboxEntry.UserMessage message) {
    if (address.state() == SessionState.CLOSED) {
      return address.state();
    }
    if (address.kind() == SessionKind.EXTERNAL) {
      // This service does not run the loop of an external session.
      transcript.append(to, id, message.asMessage());
      return address.state();
    }
    inbox.put(to, id, message);
    if (!address.rests()) {
      if (address.wasStopped()) {
        start(to);
      }
      return address.state();
    }
    queue(to, true, TraceContext.current(), message.kind());
    return SessionState.QUEUED;
  }

  /** Starts a cancelled session again: from now on, all results wake it. */
  private void start(SessionId stopped) {
    jdbi.useHandle(
        handle -> handle.execute("update session set stopped_at = null where id = ?", stopped));
  }

  /**
   * Marks a session as queued, which this transaction has locked, and enqueues its job. The count
   * of turns starts again, and the trace stays the same.
   *
   * @param reason a word for programs
   */
  void queue(SessionId session, String reason) {
    queue(session, true, null, reason);
  }

  /**
   * @param restarts whether the count of a child's turns starts again: it does with a message, but
   *     not with a notice, because the limit is for the whole task
   * @param trace the trace that wakes the session; null keeps the previous one
   */
  void queue(SessionId session, boolean restarts, @Nullable String trace, String reason) {
    enqueue(session, restarts, trace);
    events.state(session, SessionState.QUEUED, reason);
  }

  /** Enqueues the job of a session that is queued already. */
  void enqueue(SessionId session) {
    enqueue(session, true, null);
  }

  private void enqueue(SessionId session, boolean restarts, @Nullable String trace) {
    var job = runQueue.enqueue(session);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(QUEUE)
            .bind("id", session)
            .bind("job", job)
            .bind("restarts", restarts)
            .bind("trace", trace)
            .execute());
  }
}
