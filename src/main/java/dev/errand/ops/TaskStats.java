package dev.errand.ops;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Statistics from the database. */
@ApplicationScoped
public class TaskStats {

  private static final String SUCCESS =
      """
      select avg(success) filter (where ended_at > now() - interval '5 minutes') as five_minutes,
             avg(success) filter (where ended_at > now() - interval '1 hour') as hour,
             avg(success) as day
      from (select ended_at, case state when 'completed' then 1 else 0 end::float8 as success
            from task
            where ended_at > now() - interval '24 hours' and state <> 'cancelled') as ended
      """;

  private static final String OLDEST_PENDING =
      "select extract(epoch from clock_timestamp() - min(created_at)) from task where state ="
          + " 'pending'";

  private static final String OLDEST_UNDELIVERED =
      """
      select extract(epoch from clock_timestamp() - min(available_at))
      from outbox
      where state = 'pending' and available_at < clock_timestamp()
        and (claimed_until is null or claimed_until < clock_timestamp())
        and (target = 'webhook'
             or not exists (select 1 from session where session.id = session_id and kind = 'external'))
      """;

  private static final String OLDEST_QUEUED =
      """
      select extract(epoch from clock_timestamp() - min(queued_at)) from session where state = 'queued'
      """;

  private static final String LIVING_NODES =
      "select count(*) from node where lease_until > clock_timestamp()";

  private final Jdbi jdbi;

  TaskStats(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The share of completed tasks among those that ended and were not cancelled; null without any.
   */
  public record SuccessRates(
      @Nullable Double fiveMinutes, @Nullable Double hour, @Nullable Double day) {}

  /** Answered by an index, without reading the rows. */
  public Map<String, Long> tasksByState() {
    return count("task");
  }

  public Map<String, Long> sessionsByState() {
    return count("session");
  }

  public Map<String, Long> outboxByState() {
    return count("outbox");
  }

  /** Pending and running tasks only. Answered by an index, independent of the ended tasks. */
  public Map<String, Long> liveTasksByState() {
    return count("task where state in ('pending', 'running')");
  }

  /** Queued and running sessions only. Answered by an index, independent of the other ones. */
  public Map<String, Long> liveSessionsByState() {
    return count("session where state in ('queued', 'running')");
  }

  /** Pending rows only. Answered by an index, independent of the settled rows. */
  public Map<String, Long> liveOutboxByState() {
    return count("outbox where state = 'pending'");
  }

  /** The number of nodes with a valid lease. */
  public long livingNodes() {
    return jdbi.withHandle(handle -> handle.createQuery(LIVING_NODES).mapTo(Long.class).one());
  }

  /** Answered by an index. */
  public SuccessRates successRates() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(SUCCESS)
            .map((row, _) ->
                new SuccessRates(
                    row.getObject("five_minutes", Double.class),
                    row.getObject("hour", Double.class),
                    row.getObject("day", Double.class)))
            .one());
  }

  /** How many seconds the oldest pending task has waited; null when no task is pending. */
  public @Nullable Double oldestPendingSeconds() {
    return number(OLDEST_PENDING);
  }

  /** How many seconds the oldest queued session has waited; null when no session is queued. */
  public @Nullable Double oldestQueuedSeconds() {
    return number(OLDEST_QUEUED);
  }

  /**
   * How many seconds the oldest outbox row has been due; null when no row is due. A row that waits
   * for its next attempt or is being posted is not due, nor is one for an external parent without a
   * callback.
   */
  public @Nullable Double oldestUndeliveredSeconds() {
    return number(OLDEST_UNDELIVERED);
  }

  private Map<String, Long> count(String rows) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select state, count(*) as n from " + rows + " group by state order by state")
            .reduceRows(
                new LinkedHashMap<String, Long>(),
                (counts, row) -> {
                  counts.put(row.getColumn("state", String.class), row.getColumn("n", Long.class));
                  return counts;
                }));
  }

  private @Nullable Double number(String sql) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).mapTo(Double.class).findFirst().orElse(null));
  }
}
