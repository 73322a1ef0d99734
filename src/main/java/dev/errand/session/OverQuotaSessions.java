package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Sessions that wait for the next day, because their tenant has used up this one. They become due
 * like other {@link PutOffSessions}.
 */
@ApplicationScoped
public class OverQuotaSessions {

  /** Until the next day in UTC. */
  private static final String PUT_OFF =
      """
      update session
      set state = 'waiting', node_id = null, takeovers = 0, updated_at = now(), away_since = null, tries = 0,
          not_before = ((now() at time zone 'utc')::date + 1)::timestamp at time zone 'utc',
          error_code = 'quota_exceeded', error_message = :message, error_at = clock_timestamp()
      where id = :id and epoch = :epoch and state = 'running'
      returning not_before
      """;

  public static final String SOME =
      "exists (select 1 from session where state = 'waiting' and error_code = 'quota_exceeded')";

  private final Jdbi jdbi;
  private final Fence fence;
  private final SessionEvents events;

  OverQuotaSessions(Jdbi jdbi, Fence fence, SessionEvents events) {
    this.jdbi = jdbi;
    this.fence = fence;
    this.events = events;
  }

  /**
   * Ends a run until the next day, because its tenant has used up this one.
   *
   * @return the beginning of the next day
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public Instant putOff(Lease lease, DayQuotas.Exceeded quota) {
    var ignored = fence.hold(lease);
    var until =
        jdbi.withHandle(handle ->
                handle
                    .createQuery(PUT_OFF)
                    .bind("id", lease.session().value())
                    .bind("epoch", lease.epoch())
                    .bind("message", quota.message())
                    .mapTo(Instant.class)
                    .findOne())
            .orElseThrow(() -> new LeaseLost(lease));
    events.waits(lease.session(), quota.name(), until, null);
    return until;
  }

  /** The tenants of the sessions that wait for another day. */
  public List<String> tenants() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select distinct tenant from session where state = 'waiting' and error_code = 'quota_exceeded'
                """)
            .mapTo(String.class)
            .list());
  }

  /** Sessions of a tenant that wait for another day and are not due. */
  public List<SessionId> of(String tenant, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id from session
                where state = 'waiting' and error_code = 'quota_exceeded' and tenant = :tenant and not_before > clock_timestamp()
                limit :limit
                """)
            .bind("tenant", tenant)
            .bind("limit", limit)
            .mapTo(UUID.class)
            .map(SessionId::new)
            .list());
  }

  /** Ends the wait for another day. A session that another transaction holds is skipped. */
  @Transactional
  public void makeDue(SessionId id) {
    jdbi.useHandle(handle ->
        handle.execute(
            """
            update session set not_before = clock_timestamp()
            where id = (select id from session
                        where id = ? and state = 'waiting' and error_code = 'quota_exceeded' and not_before > clock_timestamp()
                        for no key update skip locked)
            """,
            id.value()));
  }
}
