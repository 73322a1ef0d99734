package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.conversation.Word;
import dev.errand.outbox.CallbackEvent;
import dev.errand.outbox.DeliveryState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads a task's row together with the state of its delivery, {@code delivery_state}, and what it
 * changed, {@code changes}. Both are null while the task is live.
 */
final class TaskMapper implements RowMapper<Task> {

  @Override
  public Task map(ResultSet row, StatementContext context) throws SQLException {
    return new Task(
        new TaskId(row.getObject("id", UUID.class)),
        row.getString("tenant"),
        Word.of(TaskKind.class, row.getString("kind")),
        session(row, "parent_session_id"),
        session(row, "root_session_id"),
        child(row),
        row.getString("parent_tool_call_id"),
        row.getString("subagent_type"),
        row.getString("description"),
        row.getString("prompt"),
        row.getString("label"),
        row.getBoolean("background"),
        row.getInt("generation"),
        row.getInt("priority"),
        callbackEvents(row),
        Word.of(Isolation.class, row.getString("isolation")),
        row.getString("model"),
        row.getInt("max_turns"),
        row.getLong("timeout_ms"),
        Word.of(TaskState.class, row.getString("state")),
        row.getInt("attempts"),
        new UsageTotals(
            row.getLong("input_tokens"),
            row.getLong("cached_input_tokens"),
            row.getLong("output_tokens"),
            row.getLong("turns"),
            row.getLong("tool_calls"),
            Cost.ofMicros(row.getObject("cost", Long.class))),
        row.getTimestamp("created_at").toInstant(),
        instant(row, "started_at"),
        outcome(row),
        instant(row, "ended_at"),
        Optional.ofNullable(row.getString("delivery_state"))
            .map(word -> Word.of(DeliveryState.class, word)),
        row.getTimestamp("redacted_at") != null,
        Optional.ofNullable(row.getString("thoroughness"))
            .map(word -> Word.of(Thoroughness.class, word))
            .orElse(null),
        TaskNotes.read(row.getString("notes")),
        TaskChanges.read(row.getString("changes")),
        progress(row));
  }

  private static Task.@Nullable Progress progress(ResultSet row) throws SQLException {
    var line = row.getString("progress");
    var at = row.getTimestamp("progress_at");
    return line == null || at == null ? null : new Task.Progress(line, at.toInstant());
  }

  private static Set<CallbackEvent> callbackEvents(ResultSet row) throws SQLException {
    var array = row.getArray("callback_events");
    if (array == null) {
      return Set.of();
    }
    var words = Set.of((String[]) array.getArray());
    return Arrays.stream(CallbackEvent.values())
        .filter(event -> words.contains(event.word()))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Optional<TaskOutcome> outcome(ResultSet row) throws SQLException {
    var state = Word.of(TaskState.class, row.getString("state"));
    if (state.isLive()) {
      return Optional.empty();
    }
    var code = row.getString("error_code");
    var error = code == null ? null : new TaskOutcome.Error(code, row.getString("error_message"));
    return Optional.of(
        new TaskOutcome(
            state,
            Word.of(StopReason.class, row.getString("stop_reason")),
            Objects.requireNonNullElse(row.getString("result"), ""),
            error,
            row.getBoolean("partial")));
  }

  /** A queued task has no session yet; the child that it is queued for takes its place. */
  private static SessionId child(ResultSet row) throws SQLException {
    return session(row, row.getObject("session_id") == null ? "queued_for" : "session_id");
  }

  private static SessionId session(ResultSet row, String column) throws SQLException {
    return new SessionId(row.getObject(column, UUID.class));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    Timestamp value = row.getTimestamp(column);
    return value == null ? null : value.toInstant();
  }
}
