package dev.errand.session;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that are held: by a pause, or because their tenant has used up its day. They wait
 * without a worker and a job until nothing holds them any more.
 */
@Singleton
public class HeldSessions {

  /** Why it waited before is forgotten: the patience with its model begins anew afterwards. */
  private static final String HOLD =
      """
      update session
      set state = 'waiting', node_id = null, updated_at = now(), away_since = null, tries = 0,
          paused_at = clock_timestamp(), pause_id = :pause, pause_reason = :reason,
          not_before = case when cast(:pause as uuid) is null
                            then ((now() at time zone 'utc')::date + 1)::timestamp at time zone 'utc' end,
          error_code = :code, error_message = :message,
          error_at = case when cast(:code as text) is not null then clock_timestamp() end
      where id = :id and epoch = :epoch and state = 'running'
      returning paused_at, not_before
      """;

  /** What holds them is over. Only sessions over the quota of a day have no pause. */
  private static final String IS_OVER =
      """
      state = 'waiting' and paused_at is not null
      and case when pause_id is null then tenant <> all(:tenants) else pause_id <> all(:pauses) end
      """;

  private static final String HELD_NO_MORE =
      """
      select id, tenant, agent, model from session where %s
      order by run_turns = 0, paused_at limit :limit
      """
          .formatted(IS_OVER);

  private static final String RELEASE =
      """
      with held as (select id, pause_id from session where id = :id and %s for no key update skip locked)
      update session set paused_at = null, pause_id = null, pause_reason = null, not_before = null
      from held where session.id = held.id
      returning case when held.pause_id is null then 'due' else 'pause_ended' end
      """
          .formatted(IS_OVER);

  private static final String HAND_OVER =
      """
      with held as (
        select id from session
        where id = :id and state = 'waiting' and paused_at is not null
        for no key update skip locked)
      update session
      set pause_id = :pause, pause_reason = :reason, not_before = null,
          error_code = null, error_message = null, error_at = null
      from held where session.id = held.id
      """;

  /** A session that is at work, or waits for its model, does not wait for a session below it. */
  private static final String ABOVE =
      """
      with recursive above as (
        select parent_id as id from session where state = 'waiting' and paused_at is not null
        union
        select session.parent_id from above join session using (id)
        where state in ('waiting', 'idle') and paused_at is null and not_before is null)
      select id from above join session using (id)
      where parent_id is not null and state in ('waiting', 'idle') and paused_at is null and not_before is null
      """;

  private static final String TENANTS =
      """
      select distinct tenant from session where state = 'waiting' and paused_at is not null and pause_id is null
      """;

  /** Whether sessions are held. */
  public static final String SOME =
      "exists (select 1 from session where state = 'waiting' and paused_at is not null)";

  private final Jdbi jdbi;
  private final Mailbox mailbox;
  private final SessionEvents events;

  HeldSessions(Jdbi jdbi, Mailbox mailbox, SessionEvents events) {
    this.jdbi = jdbi;
    this.mailbox = mailbox;
    this.events = events;
  }

  /** Why a session is held. */
  public sealed interface Hold {

    /**
     * A pause.
     *
     * @param reason in the words of the operator
     */
    record ByPause(PauseId pause, String reason) implements Hold {}

    /** The tenant has used up its day. */
    record ByQuota(DayQuotas.Exceeded quota) implements Hold {}

    /** A word for programs. */
    default String word() {
      return this instanceof ByPause ? "paused" : "quota_exceeded";
    }
  }

  /**
   * What still holds sessions.
   *
   * @param tenants that have used up their day
   */
  public record InForce(List<PauseId> pauses, List<String> tenants) {}

  /** A session whose hold is over, with what decides whether another pause holds it. */
  public record Held(SessionId id, String tenant, String agent, String model) {}

  private record Since(Instant at, @Nullable Instant until) {}

  /**
   * Ends a run until nothing holds its session any more.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Lease lease, Hold hold) {
    var since =
        jdbi.withHandle(handle -> hold(handle, lease, hold))
            .orElseThrow(() -> new LeaseLost(lease));
    switch (hold) {
      case Hold.ByPause by ->
          events.waits(
              lease.session(),
              hold.word(),
              null,
              new SessionPause(by.pause(), by.reason(), since.at()));
      case Hold.ByQuota by -> events.waits(lease.session(), by.quota().name(), since.until(), null);
    }
  }

  private static Optional<Since> hold(Handle handle, Lease lease, Hold hold) {
    var pause = hold instanceof Hold.ByPause by ? by : null;
    var quota = hold instanceof Hold.ByQuota by ? by.quota() : null;
    return handle
        .createQuery(HOLD)
        .bind("id", lease.session().value())
        .bind("epoch", lease.epoch())
        .bind("pause", pause == null ? null : pause.pause().value())
        .bind("reason", pause == null ? null : pause.reason())
        .bind("code", quota == null ? null : hold.word())
        .bind("message", quota == null ? null : quota.message())
        .map((row, _) -> {
          var until = row.getTimestamp("not_before");
          return new Since(
              row.getTimestamp("paused_at").toInstant(), until == null ? null : until.toInstant());
        })
        .findOne();
  }

  /** The tenants of the sessions that wait for another day. */
  public List<String> tenantsOverQuota() {
    return jdbi.withHandle(handle -> handle.createQuery(TENANTS).mapTo(String.class).list());
  }

  /** Sessions whose hold is over: first those in the middle of their work. */
  public List<Held> heldNoMore(InForce inForce, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(HELD_NO_MORE)
            .bindArray("pauses", UUID.class, ids(inForce))
            .bindArray("tenants", String.class, inForce.tenants())
            .bind("limit", limit)
            .map((row, _) ->
                new Held(
                    new SessionId(row.getObject("id", UUID.class)),
                    row.getString("tenant"),
                    row.getString("agent"),
                    row.getString("model")))
            .list());
  }

  /**
   * Locks a session whose hold is over; it is not held any more. {@link #resume} follows.
   *
   * @return why it continues, a word for programs; empty when another node has released it, or
   *     another transaction holds it
   */
  @Transactional(TxType.MANDATORY)
  public Optional<String> release(SessionId id, InForce inForce) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(RELEASE)
            .bind("id", id.value())
            .bindArray("pauses", UUID.class, ids(inForce))
            .bindArray("tenants", String.class, inForce.tenants())
            .mapTo(String.class)
            .findOne());
  }

  /**
   * Queues a session that was released.
   *
   * @param mayRun false: it waits for a slot
   * @param reason why it continues
   */
  @Transactional(TxType.MANDATORY)
  public void resume(SessionId id, boolean mayRun, String reason) {
    if (mayRun) {
      mailbox.queue(id, reason);
    } else {
      events.state(id, SessionState.WAITING, "slot");
    }
  }

  /** A pause holds the session from now on; since when it is held stays the same. */
  @Transactional
  public void handOver(SessionId id, Hold.ByPause to) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(HAND_OVER)
            .bind("id", id.value())
            .bind("pause", to.pause().value())
            .bind("reason", to.reason())
            .execute());
  }

  /** Children that wait for held sessions below them. */
  public List<SessionId> above() {
    return jdbi.withHandle(
        handle -> handle.createQuery(ABOVE).mapTo(UUID.class).map(SessionId::new).list());
  }

  private static List<UUID> ids(InForce inForce) {
    return inForce.pauses().stream().map(PauseId::value).toList();
  }
}
