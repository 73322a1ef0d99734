package dev.errand.session;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Sessions that a pause holds: they wait without a worker and a job until no pause holds them. */
@ApplicationScoped
public class PausedSessions {

  /** Why it waited before is forgotten: the patience with its model begins anew after the pause. */
  private static final String HOLD =
      """
      update session
      set state = 'waiting', node_id = null, updated_at = now(), not_before = null, away_since = null, tries = 0,
          error_code = null, error_message = null, error_at = null,
          paused_at = clock_timestamp(), pause_id = :pause, pause_reason = :reason
      where id = :id and epoch = :epoch and state = 'running'
      returning paused_at
      """;

  private static final String HELD_BY_OTHERS =
      """
      select id, tenant, agent, model from session
      where state = 'waiting' and paused_at is not null and pause_id <> all(:pauses)
      order by run_turns = 0, paused_at limit :limit
      """;

  private static final String RELEASE =
      """
      with held as (
        select id from session
        where id = :id and state = 'waiting' and paused_at is not null and pause_id <> all(:pauses)
        for no key update skip locked)
      update session set paused_at = null, pause_id = null, pause_reason = null
      from held where session.id = held.id
      """;

  private static final String HAND_OVER =
      """
      with held as (
        select id from session
        where id = :id and state = 'waiting' and paused_at is not null
        for no key update skip locked)
      update session set pause_id = :pause, pause_reason = :reason from held where session.id = held.id
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

  /** Whether pauses hold sessions. */
  public static final String SOME =
      "exists (select 1 from session where state = 'waiting' and paused_at is not null)";

  private final Jdbi jdbi;
  private final Mailbox mailbox;
  private final SessionEvents events;

  PausedSessions(Jdbi jdbi, Mailbox mailbox, SessionEvents events) {
    this.jdbi = jdbi;
    this.mailbox = mailbox;
    this.events = events;
  }

  /**
   * A session that was held by a pause that is over, with what decides whether another one holds
   * it.
   */
  public record Held(SessionId id, String tenant, String agent, String model) {}

  /**
   * Ends a run until a pause is over.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Lease lease, PauseId pause, String reason) {
    var since =
        jdbi.withHandle(handle ->
                handle
                    .createQuery(HOLD)
                    .bind("id", lease.session().value())
                    .bind("epoch", lease.epoch())
                    .bind("pause", pause.value())
                    .bind("reason", reason)
                    .mapTo(Instant.class)
                    .findOne())
            .orElseThrow(() -> new LeaseLost(lease));
    var held = new SessionPause(pause, reason, since);
    events.waits(lease.session(), "paused", null, held);
  }

  /** Sessions that none of these pauses holds: first those in the middle of their work. */
  public List<Held> heldByOthers(List<PauseId> pauses, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(HELD_BY_OTHERS)
            .bindArray("pauses", UUID.class, ids(pauses))
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
   * Locks a session that none of these pauses holds; it is not held any more. {@link #resume}
   * follows.
   *
   * @return false when another node has done so, or another transaction holds the session
   */
  @Transactional(TxType.MANDATORY)
  public boolean release(SessionId id, List<PauseId> pauses) {
    return jdbi.withHandle(handle ->
        handle
            .createUpdate(RELEASE)
            .bind("id", id.value())
            .bindArray("pauses", UUID.class, ids(pauses))
            .execute())
        == 1;
  }

  /**
   * Queues a session that was released.
   *
   * @param mayRun false: it waits for a slot
   */
  @Transactional(TxType.MANDATORY)
  public void resume(SessionId id, boolean mayRun) {
    if (mayRun) {
      mailbox.queue(id, "pause_ended");
    } else {
      events.state(id, SessionState.WAITING, "slot");
    }
  }

  /** Another pause holds the session from now on; since when it is held stays the same. */
  @Transactional
  public void handOver(SessionId id, PauseId pause, String reason) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(HAND_OVER)
            .bind("id", id.value())
            .bind("pause", pause.value())
            .bind("reason", reason)
            .execute());
  }

  /** Children that wait for held sessions below them. */
  public List<SessionId> above() {
    return jdbi.withHandle(
        handle -> handle.createQuery(ABOVE).mapTo(UUID.class).map(SessionId::new).list());
  }

  private static List<UUID> ids(List<PauseId> pauses) {
    return pauses.stream().map(PauseId::value).toList();
  }
}
