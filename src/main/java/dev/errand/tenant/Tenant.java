package dev.errand.tenant;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a tenant. Null: that of the service, or no limit where there is none; 0 means
 * none allowed.
 *
 * @param weight its share of the runs, compared with other tenants that have pending tasks
 * @param maxConcurrentRuns on all nodes together
 * @param delegationsPerHour accepted tasks of one hour of the clock
 * @param tokensPerDay of one day in UTC
 * @param costPerDayMicros of one day in UTC, in millionths of the unit of the price list
 */
public record Tenant(
    String id,
    int weight,
    @Nullable Integer maxConcurrentRuns,
    @Nullable Integer maxPendingTasks,
    @Nullable Integer delegationsPerHour,
    @Nullable Long tokensPerDay,
    @Nullable Long costPerDayMicros,
    TenantModels models) {

  /** The tenant that exists from the start. */
  public static final String DEFAULT = "default";

  /** The form of a name, which can also be the name of a directory. */
  public static final String NAME = "^[a-z0-9][a-z0-9_-]{0,62}$";

  private static final Pattern NAMES = Pattern.compile(NAME);

  /** Returns a tenant without settings of its own. */
  static Tenant plain(String id) {
    return new Tenant(id, 1, null, null, null, null, null, TenantModels.OF_SERVICE);
  }

  public static boolean isName(String text) {
    return NAMES.matcher(text).matches();
  }
}
