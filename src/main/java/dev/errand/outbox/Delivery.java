package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Word;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One outbox row that is being delivered.
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

  /**
   * An outbox row that this node has claimed for a limited time.
   *
   * @param claim the id of the claim; a later claim of the row has another one
   * @param sequence the number of the post among those of its callback; null when the callback is
   *     disabled
   * @param kind what is posted
   * @param callback the session or the task whose callback gets the post
   * @param tenant of the session
   * @param receiver the host of the callback, or the name of the hook
   * @param event JSON of the webhook's event, or what the hook gets; null for the end of a task,
   *     which is rendered when it is posted
   */
  public record ClaimedDelivery(
      Delivery delivery,
      UUID claim,
      DeliveryKind kind,
      UUID callback,
      String tenant,
      String receiver,
      @Nullable Long sequence,
      @Nullable String event) {}

  /** What a delivery carries. */
  public enum DeliveryKind implements Word {
    /** The notice of a task's end. */
    NOTICE,
    /** The answer to the parent's tool call. */
    TOOL_RESULT,
    /** A message of the session itself. */
    MESSAGE,
    /** An event of a task for the task's own callback. */
    EVENT,
    /** The progress of a task for the task's own callback. */
    PROGRESS,
    /** An event for a hook. */
    HOOK;

    /** Whether the session that delegated the task gets it. */
    public boolean isResult() {
      return this == NOTICE || this == TOOL_RESULT;
    }
  }

  /** The state of a delivery. */
  public enum DeliveryState implements Word {
    /** Not delivered yet; due now or later. */
    PENDING,
    DELIVERED,
    /** The parent read the result itself. */
    CONSUMED,
    /** Not needed any more, or dismissed by an operator. */
    SUPPRESSED,
    /** Not deliverable; an operator retries or dismisses it. */
    DEAD
  }
}
