package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Reads the rows that are due to be delivered into sessions. */
@Singleton
public class DueDeliveries {

  /** Without {@code clock_timestamp()}: it is volatile, so no index condition can contain it. */
  static final String DUE =
      """
      select id, session_id, target, payload, created_at, generation, delegated_at, trace_parent, bytes >= :bytes as is_last
      from (
        select *, sum(pg_column_size(payload)) over (order by available_at, id) as bytes
        from outbox
        where state = 'pending' and target = 'session' and available_at <= statement_timestamp()
        order by available_at, id
        limit :limit) outbox
        left join lateral (
          select generation, created_at as delegated_at, trace_parent from task where task.id = outbox.task_id) task on true
      where bytes - pg_column_size(payload) < :bytes
      order by available_at, id
      """;

  public static final String SOME_DUE =
      "exists (select 1 from outbox where state = 'pending' and target = 'session' and available_at <= now())";

  private final Jdbi jdbi;

  DueDeliveries(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Rows that are due, the longest due first.
   *
   * @param more whether there may be others
   */
  public record Due(List<Delivery> rows, boolean more) {}

  /**
   * Reads rows. Several nodes may read the same row; only one can settle it.
   *
   * @param limit of rows
   * @param bytes of payloads as they are stored, compressed; the last one may exceed them
   */
  public Due read(int limit, int bytes) {
    var rows =
        jdbi.withHandle(handle ->
            handle
                .createQuery(DUE)
                .bind("limit", limit)
                .bind("bytes", bytes)
                .map((row, _) -> Map.entry(delivery(row), row.getBoolean("is_last")))
                .list());
    return new Due(
        rows.stream().map(Map.Entry::getKey).toList(),
        rows.size() == limit || rows.stream().anyMatch(Map.Entry::getValue));
  }

  static Delivery delivery(ResultSet row) throws SQLException {
    @Nullable Timestamp delegatedAt = row.getTimestamp("delegated_at");
    return new Delivery(
        row.getObject("id", UUID.class),
        new SessionId(row.getObject("session_id", UUID.class)),
        row.getString("target"),
        row.getString("payload"),
        row.getTimestamp("created_at").toInstant(),
        row.getInt("generation"),
        delegatedAt == null ? null : delegatedAt.toInstant(),
        row.getString("trace_parent"));
  }
}
