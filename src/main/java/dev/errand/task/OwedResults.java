package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.Delivery;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Reads the results of ended tasks that are due to be delivered into their parents. */
@Singleton
public class OwedResults {

  /** In the order of the ends, in which the parents get them. */
  private static final String OWED =
      """
      select *, bytes >= :bytes as is_last
      from (
        select task.*, outbox.state as delivery_state,
               (select to_jsonb(change) from (
                  select files, insertions, deletions, truncated, unavailable, notes
                  from worktree_change where task_id = task.id) change) as changes,
               outbox.id as delivery_id, outbox.created_at as owed_since, size,
               sum(size) over (order by ended_at, outbox.id) as bytes
        from outbox join task on task.id = outbox.task_id
          cross join lateral (select 100 + coalesce(pg_column_size(result), 0) as size) sized
        where outbox.session_id = any(:parents) and outbox.state = 'pending' and target = 'session'
          and available_at <= statement_timestamp() and (:only::uuid is null or outbox.id = :only)) owed
      where bytes - size < :bytes
      order by ended_at, delivery_id
      """;

  private final TaskMapper mapper = new TaskMapper();

  /**
   * A result that is due.
   *
   * @param isLast whether further results were left out because of their size
   */
  public record OwedResult(Delivery delivery, Task task, boolean isLast) {}

  /**
   * The rows to read.
   *
   * @param only the one outbox row that is read; null for all
   * @param bytes of the results as they are stored, compressed; the last one may exceed them
   */
  public record OwedQuery(List<SessionId> parents, @Nullable UUID only, int bytes) {}

  /** Adds the query to a pipeline. */
  public Pipeline.Rows<OwedResult> read(Pipeline pipeline, OwedQuery asked) {
    return pipeline.query(
        Statement.of(OWED)
            .bindArray("parents", "uuid", asked.parents().stream())
            .bind("only", asked.only())
            .bind("bytes", asked.bytes()),
        this::owed);
  }

  private OwedResult owed(ResultSet row, StatementContext context) throws SQLException {
    var task = mapper.map(row, context);
    var delivery =
        new Delivery(
            row.getObject("delivery_id", UUID.class),
            task.parent(),
            "session",
            task.id(),
            row.getTimestamp("owed_since").toInstant(),
            row.getString("trace_parent"));
    return new OwedResult(delivery, task, row.getBoolean("is_last"));
  }
}
