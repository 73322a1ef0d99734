package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One outbox row that is being delivered.
 *
 * @param id the same for all attempts, so that a receiver detects a repetition
 * @param payload JSON of what the session stores; null when the session has it already
 * @param owedSince when the task ended, or the message was sent
 * @param generation of the task; 0 for a webhook, which wakes no session
 * @param delegatedAt when the task was created; null for a webhook
 * @param traceParent the trace that delegated the task or woke the session; null when not traced
 */
public record Delivery(
    UUID id,
    SessionId to,
    String target,
    @Nullable String payload,
    Instant owedSince,
    int generation,
    @Nullable Instant delegatedAt,
    @Nullable String traceParent) {

  /** What logs show: without the payload, which contains the words of a task. */
  @Override
  public String toString() {
    return "delivery " + id;
  }

  /**
   * An outbox row to be written.
   *
   * @param payload JSON of the inbox entry
   * @param post what is posted to the parent's callback; null when it has none
   * @param notBefore the earliest time of delivery; null means now
   */
  public record NewDelivery(
      TaskId task,
      SessionId to,
      DeliveryKind kind,
      String payload,
      @Nullable Post post,
      @Nullable Instant notBefore) {

    /**
     * The webhook of a delivery.
     *
     * @param lane the receiver's host, by which concurrent posts are limited
     * @param event JSON of the webhook's event
     */
    public record Post(String lane, String event) {}
  }

  /**
   * An outbox row that this node has claimed for a limited time.
   *
   * @param claim the id of the claim; a later claim of the row has another one
   * @param sequence the number of the post among those of its callback; null when the callback is
   *     disabled
   * @param kind what is posted
   * @param callback the session or the task whose callback gets the post
   * @param tenant of the session
   * @param event JSON of the webhook's event
   */
  public record ClaimedDelivery(
      Delivery delivery,
      UUID claim,
      DeliveryKind kind,
      UUID callback,
      String tenant,
      String lane,
      @Nullable Long sequence,
      String event) {}

  /** What a delivery carries. */
  public enum DeliveryKind {
    /** The notice of a task's end. */
    NOTICE,
    /** The answer to the parent's tool call. */
    TOOL_RESULT,
    /** A message of the session itself. */
    MESSAGE,
    /** An event of a task for the task's own callback. */
    EVENT,
    /** The progress of a task for the task's own callback. */
    PROGRESS;

    static DeliveryKind of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** The word in the database and in JSON. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The state of a delivery. */
  public enum DeliveryState {
    /** Not delivered yet; due now or later. */
    PENDING,
    DELIVERED,
    /** The parent read the result itself. */
    CONSUMED,
    /** Not needed any more, or dismissed by an operator. */
    SUPPRESSED,
    /** Not deliverable; an operator retries or dismisses it. */
    DEAD;

    /** The word in the database and in JSON. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static DeliveryState of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
