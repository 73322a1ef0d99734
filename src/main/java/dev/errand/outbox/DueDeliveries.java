package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Reads the rows that are due to be delivered into sessions. */
@ApplicationScoped
public class DueDeliveries {

  private static final String DUE =
      """
      select id, session_id, target, payload, created_at,
             (select generation from task where task.id = outbox.task_id) as generation,
             (select trace_parent from task where task.id = outbox.task_id) as trace_parent,
             bytes >= :bytes as is_last
      from (
        select *, sum(pg_column_size(payload)) over (order by available_at, id) as bytes
        from outbox
        where state = 'pending' and target = 'session' and available_at <= clock_timestamp()
        order by available_at, id
        limit :limit) outbox
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
    return new Delivery(
        row.getObject("id", UUID.class),
        new SessionId(row.getObject("session_id", UUID.class)),
        row.getString("target"),
        row.getString("payload"),
        row.getTimestamp("created_at").toInstant(),
        row.getInt("generation"),
        row.getString("trace_parent"));
  }
}
