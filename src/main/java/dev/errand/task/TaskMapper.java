package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Reads a task's row together with its outbox row. */
final class TaskMapper implements RowMapper<Task> {

  /** What it reads; a query puts its conditions behind this. */
  static final String SELECT =
      """
      select task.*, outbox.state as delivery_state, outbox.attempts as delivery_attempts,
             outbox.delivered_at, outbox.consumed_at, outbox.last_error
      from task left join outbox on outbox.task_id = task.id
      """;

  @Override
  public Task map(ResultSet row, StatementContext context) throws SQLException {
    return new Task(
        new TaskId(row.getObject("id", UUID.class)),
        new Task.Kin(
            session(row, "parent_session_id"),
            session(row, "root_session_id"),
            child(row),
            row.getString("parent_tool_call_id")),
        assignment(row),
        progress(row),
        ended(row),
        delivery(row));
  }

  private static Task.Assignment assignment(ResultSet row) throws SQLException {
    return new Task.Assignment(
        row.getString("subagent_type"),
        row.getString("description"),
        row.getString("prompt"),
        new Task.Words(
            row.getString("label"), row.getString("command"), TaskKind.of(row.getString("kind"))),
        new Task.Manner(
            row.getBoolean("background"), row.getString("cleanup"), row.getInt("priority")),
        new Task.Bounds(
            row.getString("model"), row.getInt("max_turns"), row.getLong("timeout_ms")));
  }

  private static Task.Progress progress(ResultSet row) throws SQLException {
    return new Task.Progress(
        TaskState.of(row.getString("state")),
        row.getInt("attempts"),
        row.getInt("takeovers"),
        new Task.Spent(
            row.getLong("input_tokens"),
            row.getLong("output_tokens"),
            row.getLong("turns"),
            row.getLong("tool_calls")),
        row.getTimestamp("created_at").toInstant(),
        instant(row, "started_at"));
  }

  private static Optional<Task.Ended> ended(ResultSet row) throws SQLException {
    var endedAt = instant(row, "ended_at");
    if (endedAt == null) {
      return Optional.empty();
    }
    var code = row.getString("error_code");
    var error = code == null ? null : new TaskOutcome.Error(code, row.getString("error_message"));
    return Optional.of(
        new Task.Ended(
            new TaskOutcome(
                TaskState.of(row.getString("state")),
                StopReason.of(row.getString("stop_reason")),
                Objects.requireNonNullElse(row.getString("result"), ""),
                error,
                row.getBoolean("partial")),
            endedAt));
  }

  private static Optional<Task.Delivery> delivery(ResultSet row) throws SQLException {
    var state = row.getString("delivery_state");
    if (state == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Task.Delivery(
            state,
            row.getInt("delivery_attempts"),
            instant(row, "delivered_at"),
            instant(row, "consumed_at"),
            row.getString("last_error")));
  }

  /** One that stands in line has none yet, and is told of as if it had. */
  private static SessionId child(ResultSet row) throws SQLException {
    return session(row, row.getObject("session_id") == null ? "in_line_for" : "session_id");
  }

  private static SessionId session(ResultSet row, String column) throws SQLException {
    return new SessionId(row.getObject(column, UUID.class));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    Timestamp value = row.getTimestamp(column);
    return value == null ? null : value.toInstant();
  }
}
