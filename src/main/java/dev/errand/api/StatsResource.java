package dev.errand.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.errand.ops.TaskAccounting;
import dev.errand.view.StatsViews;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** How the whole service fares. */
@Path("/v1/stats")
@RunOnVirtualThread
@Tag(name = "Stats")
class StatsResource {

  /** Tasks; so many are counted in some 20 ms. */
  private static final int MUCH = 10_000;

  private final StatsViews stats;
  private final TaskAccounting conservation;
  private final Clock clock;
  private final CachedCount<Stats> last;

  StatsResource(StatsViews stats, TaskAccounting conservation, Clock clock) {
    this.stats = stats;
    this.conservation = conservation;
    this.clock = clock;
    this.last = new CachedCount<>(this::count, Stats::isMuch, System::nanoTime);
  }

  /**
   * The answer. Ages are in seconds, null when there is nothing.
   *
   * @param countedAt where there is so much that counting takes long, some seconds ago
   * @param successRate completed among the tasks that ended of themselves; cancelled ones do not
   *     count
   */
  record Stats(
      Instant countedAt,
      Map<String, Long> sessions,
      Map<String, Long> tasks,
      Map<String, Long> deliveries,
      SuccessRate successRate,
      @Nullable Double oldestPendingSeconds,
      @Nullable Double oldestUndeliveredSeconds,
      Account conservation) {

    private boolean isMuch() {
      return conservation.balance().accepted() > MUCH;
    }
  }

  /**
   * Whether all is accounted for: {@code accepted = live + ended}, and {@code ended} is the sum of
   * the deliveries by state. All numbers are of one moment; deleted tasks are left out.
   */
  record Account(boolean holds, TaskAccounting.Balance balance) {}

  /** From 0 to 1 over each window; null when no task ended in it. */
  record SuccessRate(
      @JsonProperty("5m") @Nullable Double fiveMinutes,
      @JsonProperty("1h") @Nullable Double hour,
      @JsonProperty("24h") @Nullable Double day) {

    private static SuccessRate of(StatsViews.SuccessRates rates) {
      return new SuccessRate(rates.fiveMinutes(), rates.hour(), rates.day());
    }
  }

  @GET
  @Operation(summary = "Counts by state, success rates, and what waits the longest")
  public Stats get() {
    return last.get();
  }

  private Stats count() {
    var now = clock.instant();
    var balance = conservation.balance();
    var oldest = stats.oldest();
    return new Stats(
        now,
        stats.sessionsByState(),
        stats.tasksByState(),
        stats.deliveriesByState(),
        SuccessRate.of(stats.successRates()),
        oldest.pendingSeconds(),
        oldest.undeliveredSeconds(),
        new Account(balance.holds(), balance));
  }
}
