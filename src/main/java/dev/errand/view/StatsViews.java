package dev.errand.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.Cost;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows counts of the sessions, tasks and deliveries of one tenant. */
@ApplicationScoped
public class StatsViews {

  private final Reader reader;

  StatsViews(Reader reader) {
    this.reader = reader;
  }

  /**
   * The shares of completed tasks among those that ended in a period and were not cancelled, from 0
   * to 1; null when no task did.
   */
  public record SuccessRates(
      @Nullable Double fiveMinutes, @Nullable Double hour, @Nullable Double day) {}

  /**
   * How many seconds the oldest pending task and the oldest due delivery have waited; null when
   * there is none. A delivery that waits for its next attempt is not due, and neither is that of an
   * external session without a callback.
   */
  public record Oldest(@Nullable Double pendingSeconds, @Nullable Double undeliveredSeconds) {}

  /**
   * How many seconds tasks that ended in the last hour waited for their start; null when none did.
   */
  public record QueueWait(@Nullable Double p50, @Nullable Double p95) {}

  /**
   * What model calls have used since midnight UTC.
   *
   * @param tokens input and output, without the input from the caches of providers
   * @param cost by the price list; left out when no model had a price
   */
  public record Today(
      long tokens, long cachedInputTokens, @JsonInclude(Include.NON_NULL) @Nullable Cost cost) {}

  /** Reads at most the newest 10,000 of these tasks. */
  public QueueWait queueWait(String tenant) {
    return reader.of(
        tenant,
        () -> {
          QueueWaitRow row = QueueWaitRow.findAll().singleResult();
          return new QueueWait(row.p50, row.p95);
        });
  }

  public Today today(String tenant) {
    return reader.of(
        tenant,
        () -> {
          UsageTodayRow row = UsageTodayRow.findAll().singleResult();
          return new Today(row.tokens, row.cachedTokens, Cost.ofMicros(row.cost));
        });
  }

  public Map<String, Long> tasksByState(String tenant) {
    return byState(tenant, "task");
  }

  public Map<String, Long> sessionsByState(String tenant) {
    return byState(tenant, "session");
  }

  public Map<String, Long> deliveriesByState(String tenant) {
    return byState(tenant, "delivery");
  }

  /** Reads an index, not the rows. */
  public SuccessRates successRates(String tenant) {
    return reader.of(
        tenant,
        () -> {
          SuccessRateRow row = SuccessRateRow.findAll().singleResult();
          return new SuccessRates(row.fiveMinutes, row.hour, row.day);
        });
  }

  public Oldest oldest(String tenant) {
    return reader.of(
        tenant,
        () -> {
          OldestRow row = OldestRow.findAll().singleResult();
          return new Oldest(row.pendingSeconds, row.undeliveredSeconds);
        });
  }

  private Map<String, Long> byState(String tenant, String subject) {
    return reader.of(
        tenant,
        () -> {
          var counts = new LinkedHashMap<String, Long>();
          StateCountRow.<StateCountRow>list("subject", Sort.by("state"), subject)
              .forEach(row -> counts.put(row.state, row.amount));
          return counts;
        });
  }
}
