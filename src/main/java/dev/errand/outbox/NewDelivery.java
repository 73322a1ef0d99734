package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row to be written.
 *
 * @param kind {@code notice} or {@code tool_result}
 * @param payload JSON that the target understands
 * @param notBefore when it is due at the earliest; null means now
 */
public record NewDelivery(
    TaskId task, SessionId to, String kind, String payload, @Nullable Instant notBefore) {}
