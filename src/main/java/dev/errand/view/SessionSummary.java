package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackView;
import dev.errand.session.SessionFailures.SessionError;
import dev.errand.session.SessionPause;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session as lists show it: without its limits and permissions. One component per field of the
 * wire format.
 *
 * @param opening the beginning of the message that it began with, at most 200 characters, when it
 *     has no title; null when it began with something else
 * @param waitingNotices notices of ended tasks that no turn has read yet
 * @param liveTasks its tasks that have not ended
 * @param waitsFor what it waits for; null when it does not wait
 * @param notBefore when the wait is over; null when something else ends it
 * @param pause that it waits for
 */
public record SessionSummary(
    SessionId id,
    @Nullable SessionId parentId,
    SessionId rootId,
    int depth,
    String agent,
    String kind,
    @Nullable String title,
    @Nullable String opening,
    String state,
    String model,
    String workspace,
    UsageTotals usage,
    @Nullable JsonNode origin,
    @Nullable JsonNode metadata,
    int waitingNotices,
    int liveTasks,
    @Nullable SessionError lastError,
    @Nullable WaitView waitsFor,
    @Nullable Instant notBefore,
    @Nullable SessionPause pause,
    Instant createdAt,
    Instant updatedAt,
    @Nullable CallbackView callback) {}
