package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row that is being delivered.
 *
 * @param id the same for all attempts, so that a receiver detects a repetition
 * @param task that the row is about; null for a message of the session itself
 * @param owedSince when the task ended, or the message was sent
 * @param traceParent the trace that delegated the task or woke the session; null when not traced
 */
public record Delivery(
    UUID id,
    SessionId to,
    String target,
    @Nullable TaskId task,
    Instant owedSince,
    @Nullable String traceParent) {

  /** Reads a row with the trace of its task or session. */
  public static Delivery read(ResultSet row) throws SQLException {
    var task = row.getObject("task_id", UUID.class);
    return new Delivery(
        row.getObject("id", UUID.class),
        new SessionId(row.getObject("session_id", UUID.class)),
        row.getString("target"),
        task == null ? null : new TaskId(task),
        row.getTimestamp("created_at").toInstant(),
        row.getString("trace_parent"));
  }

  /**
   * An outbox row to be written for the end of a task.
   *
   * @param host of the parent's callback, by which concurrent posts are limited; null when the
   *     parent has none
   * @param notBefore the earliest time of delivery; null means now
   */
  public record NewDelivery(
      TaskId task,
      SessionId to,
      DeliveryKind kind,
      @Nullable String host,
      @Nullable Instant notBefore) {}
}
