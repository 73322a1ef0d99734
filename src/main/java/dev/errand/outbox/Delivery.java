package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One outbox row on its way.
 *
 * @param id stable over all attempts; whoever receives it twice can tell by this
 * @param payload JSON of what its session keeps; null when that has it already
 * @param owedSince when the task ended, or the message was said
 * @param traceParent what delegated the task or woke the session; null when that was not traced
 */
public record Delivery(
    UUID id,
    SessionId to,
    String target,
    @Nullable String payload,
    Instant owedSince,
    @Nullable String traceParent) {}
