package dev.errand.session;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The waits of sessions, without a worker and without a job. A session waits for one reason at a
 * time, which is in its row. Each method is one step in its caller's transaction.
 */
@Singleton
public class Waits {

  /** After a wait for an operator or for another day, the patience with the model begins again. */
  private static final String ENTER =
      """
      update session
      set state = 'waiting', node_id = null, updated_at = now(),
          takeovers = case when :reason in ('retry', 'answer') then 0 else takeovers end,
          model_away_since = case when :reason not in ('pause', 'quota') then model_away_since end,
          model_tries = case when :reason not in ('pause', 'quota') then model_tries else 0 end,
          waits_for = :reason, waits_since = clock_timestamp(), waits_order = null, waits_on = :pause,
          waits_until = case when :reason = 'quota'
                             then ((now() at time zone 'utc')::date + 1)::timestamp at time zone 'utc'
                             else clock_timestamp() + :ms * interval '1 millisecond' end
      where id = :id and epoch = :epoch and state = 'running'
      returning waits_since, waits_until
      """;

  private static final String CHANGE =
      """
      update session
      set state = 'waiting', job_id = null, queued_at = null, updated_at = now(),
          waits_for = :reason, waits_since = clock_timestamp(), waits_until = null, waits_order = :order, waits_on = null
      where id = :id
      """;

  private static final String END =
      """
      update session
      set state = 'idle', updated_at = now(),
          waits_for = null, waits_since = null, waits_until = null, waits_order = null, waits_on = null
      where id = ? and state = 'waiting'
      """;

  private static final String DUE =
      """
      select id from session
      where state = 'waiting' and waits_for = :reason and waits_until <= statement_timestamp()
      order by waits_until limit :limit
      """;

  private static final String LOCK =
      """
      select 1 from session
      where id = :id and state = 'waiting' and waits_for = any(:reasons)
        and (waits_until is null or waits_until <= clock_timestamp())
      for no key update skip locked
      """;

  public static final String SOME_FOR_LIMIT =
      "exists (select 1 from session where state = 'waiting' and waits_for = 'limit')";

  public static final String SOME_FOR_SLOT =
      "exists (select 1 from session where state = 'waiting' and waits_for = 'slot')";

  public static final String SOME_FOR_BELOW =
      "exists (select 1 from session where state = 'waiting' and waits_for = 'below')";

  /** Sessions that wait for the end of a pause, or for another day. */
  public static final String SOME_SUSPENDED =
      "exists (select 1 from session where state = 'waiting' and waits_for in ('pause', 'quota'))";

  public static final String SOME_RETRY_DUE =
      "exists (select 1 from session where state = 'waiting' and waits_for = 'retry' and waits_until <= now())";

  /** Sessions that may call their model again. */
  public static final String SOME_CALL_DUE =
      "exists (select 1 from session where state = 'waiting' and waits_for in ('model', 'memory') and waits_until <= now())";

  private final Jdbi jdbi;
  private final Mailbox mailbox;
  private final SessionEvents events;

  Waits(Jdbi jdbi, Mailbox mailbox, SessionEvents events) {
    this.jdbi = jdbi;
    this.mailbox = mailbox;
    this.events = events;
  }

  /**
   * A wait of a session.
   *
   * @param word why, as events say it
   * @param atMost null when only something else ends the wait
   * @param pause that it waits for; null for another reason
   */
  public record SessionWait(
      WaitReason reason, String word, @Nullable Duration atMost, @Nullable WaitPause pause) {

    /** Returns a wait that something else ends. */
    public static SessionWait open(WaitReason reason, String word) {
      return new SessionWait(reason, word, null, null);
    }

    /** Returns a wait that ends at a time. */
    public static SessionWait of(WaitReason reason, String word, Duration atMost) {
      return new SessionWait(reason, word, atMost, null);
    }

    /** Returns a wait for the end of a pause. */
    public static SessionWait pause(WaitPause pause) {
      return new SessionWait(WaitReason.PAUSE, "paused", null, pause);
    }
  }

  /**
   * A pause.
   *
   * @param reason in the words of the operator
   */
  public record WaitPause(PauseId id, String reason) {}

  private record Entered(Instant since, @Nullable Instant until) {

    static Entered read(ResultSet row) throws SQLException {
      var until = row.getTimestamp("waits_until");
      return new Entered(
          row.getTimestamp("waits_since").toInstant(), until == null ? null : until.toInstant());
    }
  }

  /**
   * Ends a run: its session waits from now on.
   *
   * @return when the wait is over; null when it is open
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public @Nullable Instant enter(Lease lease, SessionWait wait) {
    var atMost = wait.atMost();
    var pause = wait.pause();
    var entered =
        jdbi.withHandle(handle ->
                handle
                    .createQuery(ENTER)
                    .bind("id", lease.session())
                    .bind("epoch", lease.epoch())
                    .bind("reason", wait.reason())
                    .bind("ms", atMost == null ? null : atMost.toMillis())
                    .bind("pause", pause == null ? null : pause.id().value())
                    .map((row, _) -> Entered.read(row))
                    .findOne())
            .orElseThrow(() -> new LeaseLost(lease));
    events.waits(
        lease.session(),
        wait.reason(),
        wait.word(),
        entered.until(),
        pause == null ? null : new SessionPause(pause.id(), pause.reason(), entered.since()));
    return entered.until();
  }

  /**
   * Makes a session wait that no run drives and this transaction has locked: one that was created
   * or is at rest, or one whose wait for another reason is over.
   */
  @Transactional(TxType.MANDATORY)
  public void enter(SessionId session, WaitReason reason) {
    enter(session, reason, null);
  }

  /**
   * Enters a wait with a place among the others that wait for this reason.
   *
   * @param order the lowest is the first; null when the order does not matter
   */
  @Transactional(TxType.MANDATORY)
  public void enter(SessionId session, WaitReason reason, @Nullable Long order) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(CHANGE)
            .bind("id", session)
            .bind("reason", reason)
            .bind("order", order)
            .execute());
    events.waits(session, reason, reason.word(), null, null);
  }

  /** Returns the sessions whose wait for this reason is over, the oldest first. */
  public List<SessionId> due(WaitReason reason, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DUE)
            .bind("reason", reason)
            .bind("limit", limit)
            .mapTo(SessionId.class)
            .list());
  }

  /**
   * Locks a session if its wait is over, or has no end of its own.
   *
   * @return false when it waits for none of these reasons any more, or another transaction has
   *     locked it
   */
  @Transactional(TxType.MANDATORY)
  public boolean lock(SessionId session, Set<WaitReason> reasons) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LOCK)
            .bind("id", session)
            .bindArray("reasons", String.class, reasons.stream().map(WaitReason::word).toList())
            .mapTo(Integer.class)
            .findOne()
            .isPresent());
  }

  /**
   * Queues a session whose wait is over.
   *
   * @return false when it waits for none of these reasons any more, or another transaction has
   *     locked it
   */
  @Transactional
  public boolean leave(SessionId session, Set<WaitReason> reasons) {
    var isOver = lock(session, reasons);
    if (isOver) {
      mailbox.queue(session, "due");
    }
    return isOver;
  }

  /** Makes a session idle that waits and that this transaction has locked. */
  void end(SessionId session) {
    jdbi.useHandle(handle -> handle.execute(END, session));
  }
}
