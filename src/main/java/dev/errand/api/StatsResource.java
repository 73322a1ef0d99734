package dev.errand.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.http.Refusal;
import dev.errand.job.JobStats;
import dev.errand.ops.TaskAccounting;
import dev.errand.tenant.Tenants;
import dev.errand.view.StatsViews;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Statistics of a tenant. */
@Path("/v1/stats")
@RunOnVirtualThread
class StatsResource {

  /** The number of tasks that are counted in about 20 ms. */
  private static final int LARGE = 10_000;

  private final StatsViews stats;
  private final TaskAccounting accounting;
  private final JobStats jobs;
  private final Clock clock;
  private final Callers callers;
  private final Tenants tenants;
  private final Map<StatsKey, CachedCount<Stats>> last = new ConcurrentHashMap<>();

  StatsResource(
      StatsViews stats,
      TaskAccounting accounting,
      JobStats jobs,
      Clock clock,
      Callers callers,
      Tenants tenants) {
    this.stats = stats;
    this.accounting = accounting;
    this.jobs = jobs;
    this.clock = clock;
    this.callers = callers;
    this.tenants = tenants;
  }

  /**
   * The answer. Ages are in seconds; null means that there is nothing to measure.
   *
   * @param countedAt the time of the counts, some seconds ago if counting takes long
   * @param successRate the share of tasks that completed with an answer; cancelled tasks are not
   *     counted
   * @param today tokens and cost since midnight UTC
   * @param jobs of all tenants; only for administrators
   */
  record Stats(
      Instant countedAt,
      Map<String, Long> sessions,
      Map<String, Long> tasks,
      Map<String, Long> deliveries,
      SuccessRate successRate,
      @Nullable Double oldestPendingSeconds,
      @Nullable Double oldestUndeliveredSeconds,
      StatsViews.QueueWait queueWaitSeconds,
      StatsViews.Today today,
      Account conservation,
      @JsonInclude(Include.NON_NULL) JobStats.@Nullable Jobs jobs) {}

  /** The tenant whose figures are returned, and whether those of the whole service are, too. */
  private record StatsKey(String tenant, boolean withJobs) {}

  /**
   * The check that no task was lost: {@code accepted = live + ended}, and {@code ended} is the sum
   * of the deliveries by state. All numbers are from one snapshot; deleted tasks are not included.
   */
  record Account(boolean holds, TaskAccounting.Balance balance) {}

  /** The rate from 0 to 1 for each period; null if no task ended in it. */
  record SuccessRate(
      @JsonProperty("5m") @Nullable Double fiveMinutes,
      @JsonProperty("1h") @Nullable Double hour,
      @JsonProperty("24h") @Nullable Double day) {

    private static SuccessRate of(StatsViews.SuccessRates rates) {
      return new SuccessRate(rates.fiveMinutes(), rates.hour(), rates.day());
    }
  }

  private static boolean isLarge(Stats stats) {
    return stats.conservation().balance().accepted() > LARGE;
  }

  @GET
  @RolesAllowed(Roles.VIEWER)
  public Stats get(@QueryParam("tenant") @Nullable String tenant) {
    var asked = Objects.requireNonNullElseGet(tenant, callers::tenant);
    var isAdministrator =
        callers.current().filter(caller -> caller.role() == Role.ADMIN).isPresent();
    if (!asked.equals(callers.tenant()) && !(isAdministrator && tenants.find(asked).isPresent())) {
      throw Refusal.notFound("tenant", asked);
    }
    return last.computeIfAbsent(
            new StatsKey(asked, isAdministrator),
            it -> new CachedCount<>(() -> count(it), StatsResource::isLarge, System::nanoTime))
        .get();
  }

  private Stats count(StatsKey asked) {
    var tenant = asked.tenant();
    var now = clock.instant();
    var balance = accounting.balance(tenant);
    var oldest = stats.oldest(tenant);
    return new Stats(
        now,
        stats.sessionsByState(tenant),
        stats.tasksByState(tenant),
        stats.deliveriesByState(tenant),
        SuccessRate.of(stats.successRates(tenant)),
        oldest.pendingSeconds(),
        oldest.undeliveredSeconds(),
        stats.queueWait(tenant),
        stats.today(tenant),
        new Account(balance.addsUp(), balance),
        asked.withJobs() ? jobs.read() : null);
  }

  /**
   * Caches a count that is expensive: the result of a large count is kept for 20 times as long as
   * counting took, the result of a small count is not kept. Independent of the number of requests,
   * counting uses at most a twentieth of the time of one connection.
   *
   * @param <T> the type of the result
   */
  static final class CachedCount<T> {

    private static final long KEPT = 20;

    private final Supplier<T> count;
    private final Predicate<T> isLarge;
    private final LongSupplier nanoTime;
    private @Nullable T last;
    private long until;

    /**
     * @param isLarge whether a result is kept. The size decides, not the time, because everything
     *     is slow on a busy machine
     */
    CachedCount(Supplier<T> count, Predicate<T> isLarge, LongSupplier nanoTime) {
      this.count = count;
      this.isLarge = isLarge;
      this.nanoTime = nanoTime;
    }

    /** Returns the count. One thread counts at a time; the others wait for its result. */
    synchronized T get() {
      var from = nanoTime.getAsLong();
      var kept = last;
      if (kept != null && from - until < 0) {
        return kept;
      }
      var counted = count.get();
      var now = nanoTime.getAsLong();
      last = isLarge.test(counted) ? counted : null;
      until = now + KEPT * (now - from);
      return counted;
    }
  }
}
