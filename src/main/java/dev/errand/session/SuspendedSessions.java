package dev.errand.session;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import dev.errand.session.ModelPatience.ModelAway;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The sessions that are suspended: by a pause, or because their tenant has used up its day. They
 * wait without a worker and a job until no suspension applies to them any more.
 */
@Singleton
public class SuspendedSessions {

  /** Their suspension is over. Only sessions over the quota of a day have no pause. */
  private static final String OVER =
      """
      select id, tenant, agent, model from session
      where state = 'waiting' and waits_for in ('pause', 'quota')
        and case when waits_for = 'quota' then tenant <> all(:tenants) else waits_on <> all(:pauses) end
      order by run_turns = 0, waits_since limit :limit
      """;

  private static final String RELEASE =
      """
      select case when waits_for = 'quota' then 'due' else 'pause_ended' end from session
      where id = :id and state = 'waiting' and waits_for in ('pause', 'quota')
        and case when waits_for = 'quota' then tenant <> all(:tenants) else waits_on <> all(:pauses) end
      for no key update skip locked
      """;

  private static final String HAND_OVER =
      """
      with suspended as (
        select id from session
        where id = :id and state = 'waiting' and waits_for in ('pause', 'quota')
        for no key update skip locked)
      update session
      set waits_for = 'pause', waits_on = :pause, waits_until = null,
          error_code = null, error_message = null, error_at = null
      from suspended where session.id = suspended.id
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
  private final ModelCalls modelCalls;
  private final Waits waits;
  private final Mailbox mailbox;

  SuspendedSessions(Jdbi jdbi, ModelCalls modelCalls, Waits waits, Mailbox mailbox) {
    this.jdbi = jdbi;
    this.modelCalls = modelCalls;
    this.waits = waits;
    this.mailbox = mailbox;
  }

  /**
   * The suspensions that still apply.
   *
   * @param tenants that have used up their day
   */
  public record SuspensionsInForce(List<PauseId> pauses, List<String> tenants) {}

  /** A session whose suspension is over, with what decides whether another pause applies to it. */
  public record ResumableSession(SessionId id, String tenant, String agent, String model) {}

  /**
   * Ends a run until its session is not suspended any more.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void suspend(Lease lease, Suspension by) {
    switch (by) {
      case Suspension.ByPause(var pause) -> waits.enter(lease, Waits.SessionWait.pause(pause));
      case Suspension.ByQuota(var quota) -> {
        modelCalls.keep(lease, new ModelAway(by.word(), quota.message()));
        waits.enter(lease, Waits.SessionWait.open(WaitReason.QUOTA, quota.name()));
      }
    }
  }

  /** Returns the tenants of the sessions that wait for another day. */
  public List<String> tenantsOverQuota() {
    return jdbi.withHandle(handle -> handle.createQuery(TENANTS).mapTo(String.class).list());
  }

  /** Sessions whose suspension is over: first those in the middle of their work. */
  public List<ResumableSession> over(SuspensionsInForce inForce, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(OVER)
            .bindArray("pauses", UUID.class, ids(inForce))
            .bindArray("tenants", String.class, inForce.tenants())
            .bind("limit", limit)
            .mapTo(ResumableSession.class)
            .list());
  }

  /**
   * Locks a session whose suspension is over. {@link #resume} follows.
   *
   * @return why it continues, a word for programs; empty when another node has released it, or
   *     another transaction has locked it
   */
  @Transactional(TxType.MANDATORY)
  public Optional<String> release(SessionId id, SuspensionsInForce inForce) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(RELEASE)
            .bind("id", id)
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

  /**
   * Hands a suspended session over to another pause; the time since when it is suspended stays the
   * same.
   */
  @Transactional
  public void handOver(SessionId id, Suspension.ByPause to) {
    jdbi.useHandle(handle ->
        handle.createUpdate(HAND_OVER).bind("id", id).bind("pause", to.pause().id()).execute());
  }

  /** Returns the children that wait for suspended sessions below them. */
  public List<SessionId> above() {
    return jdbi.withHandle(handle -> handle.createQuery(ABOVE).mapTo(SessionId.class).list());
  }

  private static List<UUID> ids(SuspensionsInForce inForce) {
    return inForce.pauses().stream().map(PauseId::value).toList();
  }
}
