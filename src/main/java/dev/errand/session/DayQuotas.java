package dev.errand.session;

import dev.errand.conversation.Cost;
import dev.errand.tenant.Tenant;
import dev.errand.tenant.Tenants;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of tenants for a day: tokens and money. Days are in UTC, by the clock of the database.
 * Tenants without such a quota cost no statement.
 */
@Singleton
public class DayQuotas {

  /** {@link BoundaryStore} reads the same for the tenant of a session. */
  private static final String USED =
      """
      select array[coalesce(sum(tokens), 0), coalesce(sum(cost), 0),
                   extract(epoch from (now() at time zone 'utc')::date + 1 - (now() at time zone 'utc'))]::bigint[] as used
      from tenant_day where tenant = :tenant and day = (now() at time zone 'utc')::date
      """;

  private final Jdbi jdbi;
  private final Tenants tenants;

  DayQuotas(Jdbi jdbi, Tenants tenants) {
    this.jdbi = jdbi;
    this.tenants = tenants;
  }

  /**
   * The use of a tenant today.
   *
   * @param left until the next day
   */
  record UsedToday(long tokens, Cost cost, Duration left) {

    /** Reads a use of today; null gives null. */
    static @Nullable UsedToday read(ResultSet row, String column) throws SQLException {
      var array = row.getArray(column);
      if (array == null) {
        return null;
      }
      var used = (Long[]) array.getArray();
      return new UsedToday(used[0], new Cost(used[1]), Duration.ofSeconds(used[2] + 1));
    }
  }

  /**
   * A quota of a day that is used up.
   *
   * @param name of the quota, as in the settings of the tenant
   * @param left until the next day
   */
  public record Exceeded(String name, String message, Duration left) {}

  /** Returns whether the tenant has a quota of a day. */
  public boolean apply(String tenant) {
    var quotas = tenants.of(tenant);
    return quotas.tokensPerDay() != null || quotas.costPerDayMicros() != null;
  }

  /** Returns whether the money of the tenant is limited, so that its models need a price. */
  public boolean limitMoney(String tenant) {
    return tenants.of(tenant).costPerDayMicros() != null;
  }

  /** Returns the quota that is used up now; empty while the tenant may call models. */
  public Optional<Exceeded> exceeded(String tenant) {
    if (!apply(tenant)) {
      return Optional.empty();
    }
    var used =
        jdbi.withHandle(handle ->
            handle
                .createQuery(USED)
                .bind("tenant", tenant)
                .map((row, _) -> UsedToday.read(row, "used"))
                .one());
    return exceeded(tenants.of(tenant), used);
  }

  /**
   * Returns the quota that is used up according to what was read at a turn boundary, which is null
   * when the tenant had no quota then; empty while the tenant may call models.
   */
  public Optional<Exceeded> exceeded(String tenant, @Nullable UsedToday used) {
    return used == null ? Optional.empty() : exceeded(tenants.of(tenant), used);
  }

  private static Optional<Exceeded> exceeded(Tenant quotas, UsedToday used) {
    var tokens = quotas.tokensPerDay();
    if (tokens != null && used.tokens() >= tokens) {
      return Optional.of(exceeded("tokens_per_day", used.tokens(), tokens, used.left()));
    }
    var cost = Cost.ofMicros(quotas.costPerDayMicros());
    return cost != null && used.cost().compareTo(cost) >= 0
        ? Optional.of(exceeded("cost_per_day", used.cost(), cost, used.left()))
        : Optional.empty();
  }

  private static Exceeded exceeded(String name, Object used, Object quota, Duration left) {
    var message =
        "the tenant has used %s of its %s = %s; it continues at midnight UTC, or when the quota is raised"
            .formatted(used, name, quota);
    return new Exceeded(name, message, left);
  }
}
