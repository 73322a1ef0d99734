package dev.errand.session;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import dev.errand.session.ModelPatience.Away;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Sessions that are held: by a pause, or because their tenant has used up its day. They wait
 * without a worker and a job until nothing holds them any more.
 */
@Singleton
public class HeldSessions {

  /** What holds them is over. Only sessions over the quota of a day have no pause. */
  private static final String IS_OVER =
      """
      state = 'waiting' and waits_for in ('pause', 'quota')
      and case when waits_for = 'quota' then tenant <> all(:tenants) else waits_on <> all(:pauses) end
      """;

  private static final String HELD_NO_MORE =
      """
      select id, tenant, agent, model from session where %s
      order by run_turns = 0, waits_since limit :limit
      """
          .formatted(IS_OVER);

  private static final String RELEASE =
      """
      select case when waits_for = 'quota' then 'due' else 'pause_ended' end from session
      where id = :id and %s for no key update skip locked
      """
          .formatted(IS_OVER);

  private static final String HAND_OVER =
      """
      with held as (
        select id from session
        where id = :id and state = 'waiting' and waits_for in ('pause', 'quota')
        for no key update skip locked)
      update session
      set waits_for = 'pause', waits_on = :pause, waits_until = null,
          error_code = null, error_message = null, error_at = null
      from held where session.id = held.id
      """;

  private static final String ABOVE =
      """
      with recursive above as (
        select parent_id as id from session where state = 'waiting' and waits_for in ('pause', 'quota')
        union
        select session.parent_id from above join session using (id) where waits_for in ('below', 'answer'))
      select id from above join session using (id) where parent_id is not null and waits_for in ('below', 'answer')
      """;

  private static final String TENANTS =
      "select distinct tenant from session where state = 'waiting' and waits_for = 'quota'";

  private final Jdbi jdbi;
  private final FailedModelCalls failedCalls;
  private final Waits waits;
  private final Mailbox mailbox;

  HeldSessions(Jdbi jdbi, FailedModelCalls failedCalls, Waits waits, Mailbox mailbox) {
    this.jdbi = jdbi;
    this.failedCalls = failedCalls;
    this.waits = waits;
    this.mailbox = mailbox;
  }

  /** Why a session is held. */
  public sealed interface Hold {

    record ByPause(Waits.Pausing pause) implements Hold {}

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

  /**
   * Ends a run until nothing holds its session any more.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Lease lease, Hold hold) {
    switch (hold) {
      case Hold.ByPause by -> waits.enter(lease, Waits.Wait.pause(by.pause()));
      case Hold.ByQuota by -> {
        failedCalls.keep(lease, new Away(hold.word(), by.quota().message()));
        waits.enter(lease, Waits.Wait.open(WaitReason.QUOTA, by.quota().name()));
      }
    }
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
   * Locks a session whose hold is over. {@link #resume} follows.
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
   * @param mayRun false: it waits for a slot now
   * @param reason why it continues
   */
  @Transactional(TxType.MANDATORY)
  public void resume(SessionId id, boolean mayRun, String reason) {
    if (mayRun) {
      mailbox.queue(id, reason);
    }
  }

  /** A pause holds the session from now on; since when it is held stays the same. */
  @Transactional
  public void handOver(SessionId id, Hold.ByPause to) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(HAND_OVER)
            .bind("id", id.value())
            .bind("pause", to.pause().id().value())
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
