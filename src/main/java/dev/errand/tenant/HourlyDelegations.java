package dev.errand.tenant;

import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jdbi.v3.core.Jdbi;

/**
 * Counts the delegations of tenants that have a limit of them per hour. An hour has several rows,
 * so that submissions seldom wait for each other.
 */
@Singleton
public class HourlyDelegations {

  private static final int SLOTS = 16;

  /** The sum is without what this statement counts. */
  private static final String COUNT =
      """
      with counted as (
        insert into tenant_hour (tenant, hour, slot, delegations)
        values (:tenant, date_trunc('hour', now(), 'UTC'), :slot, 1)
        on conflict (tenant, hour, slot) do update set delegations = tenant_hour.delegations + 1)
      select coalesce(sum(delegations), 0) >= :limit as full,
             extract(epoch from date_trunc('hour', now(), 'UTC') + interval '1 hour' - now()) as left
      from tenant_hour where tenant = :tenant and hour = date_trunc('hour', now(), 'UTC')
      """;

  private final Jdbi jdbi;

  HourlyDelegations(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The answer whether the hour had room for a delegation. */
  public sealed interface Hour {

    /** The delegation is counted. */
    record DelegationCounted() implements Hour {}

    /**
     * The limit was used up before. The caller rolls the transaction back.
     *
     * @param left until the next hour begins
     */
    record UsedUp(Duration left) implements Hour {}
  }

  /**
   * Counts one delegation, late in its transaction. Concurrent transactions do not see each other,
   * so the limit may be exceeded by their number.
   */
  @Transactional(TxType.MANDATORY)
  public Hour take(String tenant, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(COUNT)
            .bind("tenant", tenant)
            .bind("slot", ThreadLocalRandom.current().nextInt(SLOTS))
            .bind("limit", limit)
            .map((row, _) ->
                row.getBoolean("full")
                    ? new Hour.UsedUp(Duration.ofSeconds((long) Math.ceil(row.getDouble("left"))))
                    : new Hour.DelegationCounted())
            .one());
  }
}
