package dev.errand.ops;

import dev.errand.postgres.LongReads;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** Counts for the gauges, from the database. */
@Singleton
class TaskStats {

  private static final String LIVE =
      """
      select (select count(*) from task where state = 'pending') as pending_tasks,
             (select count(*) from task where state = 'running') as running_tasks,
             (select count(*) from session where state = 'waiting' and waits_for = 'slot') as waiting_tasks,
             (select count(*) from session where state = 'queued' and queued_at is not null) as queued_sessions,
             (select count(*) from session where state = 'running' and node_id is not null) as running_sessions,
             (select count(*) from session where state = 'waiting' and waits_for = 'pause') as paused_sessions,
             (select count(*) from outbox where state = 'pending' and target <> 'hook') as pending_deliveries,
             (select count(*) from outbox where state = 'dead') as dead_deliveries,
             (select extract(epoch from clock_timestamp() - min(created_at)) from task where state = 'pending') as pending_seconds,
             (select extract(epoch from clock_timestamp() - min(queued_at)) from session where state = 'queued') as queued_seconds,
             (select extract(epoch from clock_timestamp() - min(available_at)) from outbox
              where state = 'pending' and target <> 'hook' and available_at < clock_timestamp()
                and (claimed_until is null or claimed_until < clock_timestamp())
                and (target = 'session' or sequence is not null
                     or not exists (select 1 from outbox earlier
                                    where earlier.stream = outbox.stream and earlier.state = 'pending'
                                      and earlier.sequence is not null and not earlier.out_of_turn))
                and (target <> 'session'
                     or not exists (select 1 from session where session.id = outbox.session_id and session.kind = 'external')))
               as undelivered_seconds,
             (select count(*) from inbox join session on session.id = session_id
              where inbox.kind = 'notice' and consumed_at is null and state = 'idle') as kept_notices,
             (select count(*) from node where lease_until > clock_timestamp()) as nodes
      """;

  private static final String BY_STATE =
      "select id, sum(amount)::bigint as amount from state_count_view group by id";

  private static final String CHANGES =
      """
      select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) from pg_stat_user_tables
      where relname in ('session', 'task', 'outbox', 'tree')
      """;

  private final Jdbi jdbi;
  private final LongReads reads;

  TaskStats(Jdbi jdbi, LongReads reads) {
    this.jdbi = jdbi;
    this.reads = reads;
  }

  /**
   * Returns how many rows there are of each kind and state, for example of {@code task:completed}.
   * Reads all rows, in one statement.
   */
  Map<String, Long> byState() {
    return reads.read(handle ->
        handle
            .createQuery(BY_STATE)
            .reduceRows(
                new HashMap<String, Long>(),
                (counts, row) -> {
                  counts.put(
                      row.getColumn("id", String.class), row.getColumn("amount", Long.class));
                  return counts;
                }));
  }

  /**
   * The numbers of rows that have not ended, and of dead deliveries.
   *
   * @param waitingTasks pending ones that wait for a slot
   * @param oldestPending how many seconds the oldest pending task has waited; 0 when there is none
   * @param oldestQueued the same for queued sessions
   * @param oldestUndelivered the same for outbox rows that are due. A row that waits for its next
   *     attempt or is being posted is not due, nor is one for an external parent without a callback
   * @param pausedSessions to which a pause applies
   * @param keptNotices that wait for a message of the user or a resume
   * @param nodes with a valid lease
   */
  record LiveCounts(
      Map<String, Long> tasks,
      Map<String, Long> sessions,
      Map<String, Long> outbox,
      long waitingTasks,
      double oldestPending,
      double oldestQueued,
      double oldestUndelivered,
      long pausedSessions,
      long keptNotices,
      long nodes) {}

  /**
   * Counts live rows and dead deliveries by indexes, independent of the number of other ended rows.
   */
  LiveCounts live() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LIVE)
            .map((row, _) ->
                new LiveCounts(
                    Map.of(
                        "pending", row.getLong("pending_tasks"),
                        "running", row.getLong("running_tasks")),
                    Map.of(
                        "queued", row.getLong("queued_sessions"),
                        "running", row.getLong("running_sessions")),
                    Map.of(
                        "pending", row.getLong("pending_deliveries"),
                        "dead", row.getLong("dead_deliveries")),
                    row.getLong("waiting_tasks"),
                    row.getDouble("pending_seconds"),
                    row.getDouble("queued_seconds"),
                    row.getDouble("undelivered_seconds"),
                    row.getLong("paused_sessions"),
                    row.getLong("kept_notices"),
                    row.getLong("nodes")))
            .one());
  }

  /**
   * Returns a number that changes with the rows that are counted, a few seconds later at most.
   * While it is the same, nothing need be counted again.
   */
  long changes() {
    return jdbi.withHandle(handle -> handle.createQuery(CHANGES).mapTo(Long.class).one());
  }
}
