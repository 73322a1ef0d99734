package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One outbox row that is being delivered.
 *
 * @param id the same for all attempts, so that a receiver detects a repetition
 * @param payload JSON of what the session stores; null when the session has it already
 * @param owedSince when the task ended, or the message was sent
 * @param generation of the task; 0 for a webhook, which wakes no session
 * @param traceParent the trace that delegated the task or woke the session; null when not traced
 */
public record Delivery(
    UUID id,
    SessionId to,
    String target,
    @Nullable String payload,
    Instant owedSince,
    int generation,
    @Nullable String traceParent) {

  /** What logs show: without the payload, which contains the words of a task. */
  @Override
  public String toString() {
    return "delivery " + id;
  }
}
