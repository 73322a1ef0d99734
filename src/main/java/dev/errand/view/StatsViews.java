package dev.errand.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.Cost;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.LinkedHashMap;
import java.util.Map;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows counts of the sessions, tasks and deliveries of one tenant. */
@Singleton
public class StatsViews {

  private final Reader reader;

  StatsViews(Reader reader) {
    this.reader = reader;
  }

  /**
   * The shares of tasks that completed with an answer among those that ended in a period and were
   * not cancelled, from 0 to 1; null when no task did.
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

  /** A row of {@code oldest_of_tenant_view}. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "oldest_of_tenant_view")
  static class OldestRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double pendingSeconds;
    public @Nullable Double undeliveredSeconds;
  }

  /** A row of {@code queue_wait_view}. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "queue_wait_view")
  static class QueueWaitRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double p50;
    public @Nullable Double p95;
  }

  /** A row of {@code state_count_view}: how many sessions, tasks or deliveries are in one state. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "state_count_view")
  static class StateCountRow extends PanacheEntityBase {

    @Id public String id;
    @TenantId public String tenant;
    public String subject;
    public String state;
    public long amount;
  }

  /** A row of {@code success_rate_view}. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "success_rate_view")
  static class SuccessRateRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double fiveMinutes;
    public @Nullable Double hour;
    public @Nullable Double day;
  }

  /** A row of {@code usage_today_view}. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "usage_today_view")
  static class UsageTodayRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public long tokens;
    public long cachedTokens;
    public @Nullable Long cost;
  }
}
