package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One outbox row on its way.
 *
 * @param id stable over all attempts; whoever receives it twice can tell by this
 * @param payload JSON that its target understands
 * @param endedAt when the task ended
 * @param traceParent what delegated the task; null when that was not traced
 */
public record Delivery(
    UUID id,
    SessionId to,
    String target,
    String payload,
    Instant endedAt,
    @Nullable String traceParent) {}
