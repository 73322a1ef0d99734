package dev.errand.view;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryState;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A delivery to a session or its callback, as operators see it. One component per field of the wire
 * format.
 *
 * @param taskId the task whose end is delivered, or whose callback gets an event; null for a
 *     message of the session itself
 * @param messageId the message that is posted; null for a task's result
 * @param sessionId the task's parent, or the session that sends the message
 * @param kind {@code notice}, {@code tool_result} or {@code message}; {@code event} or {@code
 *     progress} for the callback of a task
 * @param target {@code session}, {@code webhook}, or {@code task_webhook} for the callback of a
 *     task
 * @param nextAttemptAt when it is due; null unless it is pending
 * @param redacted whether the delivered words were deleted ({@code cleanup: delete})
 */
public record DeliveryView(
    DeliveryId id,
    @Nullable TaskId taskId,
    @Nullable MessageId messageId,
    SessionId sessionId,
    String kind,
    String target,
    @Schema(implementation = DeliveryState.class) String state,
    int attempts,
    @Nullable Instant nextAttemptAt,
    Instant createdAt,
    @Nullable Instant deliveredAt,
    @Nullable Instant consumedAt,
    @Nullable Instant deadAt,
    @Nullable String lastError,
    boolean redacted) {

  static DeliveryView of(DeliveryRow row) {
    return new DeliveryView(
        new DeliveryId(row.id),
        row.taskId == null ? null : new TaskId(row.taskId),
        row.messageId == null ? null : new MessageId(row.messageId),
        new SessionId(row.sessionId),
        row.kind,
        row.target,
        row.state,
        row.attempts,
        row.nextAttemptAt,
        row.createdAt,
        row.deliveredAt,
        row.consumedAt,
        row.deadAt,
        row.lastError,
        row.redacted);
  }
}
