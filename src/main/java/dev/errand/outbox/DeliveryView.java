package dev.errand.outbox;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a task owes its parent, as operators see it. One component per field of the wire format.
 *
 * @param sessionId the parent
 * @param target {@code session} or {@code webhook}
 * @param nextAttemptAt when it is due; null unless it is pending
 */
public record DeliveryView(
    DeliveryId id,
    TaskId taskId,
    SessionId sessionId,
    String kind,
    String target,
    String state,
    int attempts,
    @Nullable Instant nextAttemptAt,
    Instant createdAt,
    @Nullable Instant deliveredAt,
    @Nullable Instant consumedAt,
    @Nullable Instant deadAt,
    @Nullable String lastError) {}
