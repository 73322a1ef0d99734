package dev.errand.ops;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Counts for the gauges, from the database. */
@ApplicationScoped
public class TaskStats {

  private static final String LIVING_NODES =
      "select count(*) from node where lease_until > clock_timestamp()";

  private static final String HELD_NOTICES =
      """
      select count(*) from inbox join session on session.id = session_id
      where inbox.kind = 'notice' and consumed_at is null and state = 'idle'
      """;

  private final Jdbi jdbi;

  TaskStats(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Answered by an index, without reading the rows. */
  public Map<String, Long> tasksByState() {
    return count("subject = 'task'");
  }

  public Map<String, Long> sessionsByState() {
    return count("subject = 'session'");
  }

  public Map<String, Long> outboxByState() {
    return count("subject = 'delivery'");
  }

  /** Pending and running tasks only. Answered by an index, independent of the ended tasks. */
  public Map<String, Long> liveTasksByState() {
    return count("subject = 'task' and state in ('pending', 'running')");
  }

  /** Queued and running sessions only. Answered by an index, independent of the other ones. */
  public Map<String, Long> liveSessionsByState() {
    return count("subject = 'session' and state in ('queued', 'running')");
  }

  /** Pending rows only. Answered by an index, independent of the settled rows. */
  public Map<String, Long> liveOutboxByState() {
    return count("subject = 'delivery' and state = 'pending'");
  }

  /** The number of nodes with a valid lease. */
  public long livingNodes() {
    return jdbi.withHandle(handle -> handle.createQuery(LIVING_NODES).mapTo(Long.class).one());
  }

  /** How many seconds the oldest pending task has waited; null when no task is pending. */
  public @Nullable Double oldestPendingSeconds() {
    return number("select pending_seconds from oldest_view");
  }

  /** How many seconds the oldest queued session has waited; null when no session is queued. */
  public @Nullable Double oldestQueuedSeconds() {
    return number("select queued_seconds from oldest_view");
  }

  /**
   * How many seconds the oldest outbox row has been due; null when no row is due. A row that waits
   * for its next attempt or is being posted is not due, nor is one for an external parent without a
   * callback.
   */
  public @Nullable Double oldestUndeliveredSeconds() {
    return number("select undelivered_seconds from oldest_view");
  }

  /** The number of notices that wait for a message of the user or a resume. */
  public long heldNotices() {
    return jdbi.withHandle(handle -> handle.createQuery(HELD_NOTICES).mapTo(Long.class).one());
  }

  private Map<String, Long> count(String rows) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select state, amount from state_count_view where " + rows + " order by state")
            .reduceRows(
                new LinkedHashMap<String, Long>(),
                (counts, row) -> {
                  counts.put(
                      row.getColumn("state", String.class), row.getColumn("amount", Long.class));
                  return counts;
                }));
  }

  private @Nullable Double number(String sql) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).mapTo(Double.class).findFirst().orElse(null));
  }
}
