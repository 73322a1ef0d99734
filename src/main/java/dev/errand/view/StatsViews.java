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
import org.hibernate.annotations.Subselect;
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
   * The seconds that the oldest pending task and the oldest due delivery have waited; null when
   * there is none. A delivery that waits for its next attempt is not due, and neither is that of an
   * external session without a callback.
   */
  public record Oldest(@Nullable Double pendingSeconds, @Nullable Double undeliveredSeconds) {}

  /**
   * The seconds that tasks that ended in the last hour waited for their start; null when none did.
   */
  public record QueueWait(@Nullable Double p50, @Nullable Double p95) {}

  /**
   * The use of model calls since midnight UTC.
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

  /**
   * The rows that have waited longest. Deliveries that are being sent, or that wait for an earlier
   * one, are not due.
   */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select 1 as id, tenant.id as tenant,
             (select cast(extract(epoch from clock_timestamp() - min(created_at)) as float)
              from task where task.tenant = tenant.id and state = 'pending') as pending_seconds,
             (select cast(extract(epoch from clock_timestamp() - min(available_at)) as float)
              from outbox
              where outbox.tenant = tenant.id and state = 'pending' and target <> 'hook' and available_at < clock_timestamp()
                and (claimed_until is null or claimed_until < clock_timestamp())
                and (target = 'session' or sequence is not null
                     or not exists (select 1 from outbox earlier
                                    where earlier.stream = outbox.stream and earlier.state = 'pending'
                                      and earlier.sequence is not null and not earlier.out_of_turn))
                and (target <> 'session'
                     or not exists (select 1 from session where session.id = outbox.session_id and session.kind = 'external')))
               as undelivered_seconds
      from tenant
      """)
  static class OldestRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double pendingSeconds;
    public @Nullable Double undeliveredSeconds;
  }

  /** The time that the tasks that ended in the last hour waited for their start. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select 1 as id, tenant.id as tenant, p50, p95
      from tenant cross join lateral (
        select percentile_cont(0.5) within group (order by seconds) as p50,
               percentile_cont(0.95) within group (order by seconds) as p95
        from (
          select cast(extract(epoch from started_at - created_at) as float) as seconds from task
          where task.tenant = tenant.id and ended_at > now() - interval '1 hour' and started_at is not null
          order by ended_at desc limit 10000) newest) wait
      """)
  static class QueueWaitRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double p50;
    public @Nullable Double p95;
  }

  /** The number of sessions, tasks or deliveries in one state. */
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

  /** The shares of tasks that completed with an answer. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select 1 as id, tenant.id as tenant, five_minutes, hour, day
      from tenant cross join lateral (
        select avg(success) filter (where ended_at > now() - interval '5 minutes') as five_minutes,
               avg(success) filter (where ended_at > now() - interval '1 hour') as hour,
               avg(success) as day
        from (
          select ended_at, cast(case when state = 'completed' and stop_reason <> 'no_answer' then 1 else 0 end as float) as success
          from task
          where task.tenant = tenant.id and ended_at > now() - interval '24 hours' and state <> 'cancelled') ended) rates
      """)
  static class SuccessRateRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public @Nullable Double fiveMinutes;
    public @Nullable Double hour;
    public @Nullable Double day;
  }

  /** The use of model calls since midnight UTC. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select 1 as id, tenant.id as tenant, cast(coalesce(sum(tokens), 0) as bigint) as tokens,
             cast(coalesce(sum(cached_tokens), 0) as bigint) as cached_tokens, cast(sum(cost) as bigint) as cost
      from tenant left join tenant_day
        on tenant_day.tenant = tenant.id and tenant_day.day = cast(now() at time zone 'utc' as date)
      group by tenant.id
      """)
  static class UsageTodayRow extends PanacheEntityBase {

    @Id public int id;
    @TenantId public String tenant;
    public long tokens;
    public long cachedTokens;
    public @Nullable Long cost;
  }
}
