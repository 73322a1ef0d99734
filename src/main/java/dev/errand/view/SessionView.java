package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackView;
import dev.errand.permission.Layer;
import dev.errand.permission.Rights;
import dev.errand.session.Limits;
import dev.errand.session.SessionFailures.SessionError;
import dev.errand.session.SessionPause;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as clients see it. One component per field of the wire format.
 *
 * @param limits of its whole tree
 * @param permissions layers of rules; every layer must allow a call
 * @param tools that it may call at all
 * @param waitingNotices notices of ended tasks that no turn has read yet
 * @param waitsFor what it waits for; null when it does not wait
 * @param notBefore when the wait is over; null when something else ends it
 * @param pause that it waits for
 */
public record SessionView(
    SessionId id,
    @Nullable SessionId parentId,
    SessionId rootId,
    int depth,
    String agent,
    String kind,
    @Nullable String title,
    String state,
    String model,
    String workspace,
    UsageTotals usage,
    Limits limits,
    List<Layer> permissions,
    List<String> tools,
    @Nullable JsonNode origin,
    @Nullable JsonNode metadata,
    int waitingNotices,
    @Nullable SessionError lastError,
    @Nullable WaitView waitsFor,
    @Nullable Instant notBefore,
    @Nullable SessionPause pause,
    Instant createdAt,
    Instant updatedAt,
    @Nullable CallbackView callback) {

  static SessionView of(
      SessionSummary session, Limits limits, Rights rights, @Nullable CallbackView callback) {
    return new SessionView(
        session.id(),
        session.parentId(),
        session.rootId(),
        session.depth(),
        session.agent(),
        session.kind(),
        session.title(),
        session.state(),
        session.model(),
        session.workspace(),
        session.usage(),
        limits,
        rights.permissions(),
        rights.tools(),
        session.origin(),
        session.metadata(),
        session.waitingNotices(),
        session.lastError(),
        session.waitsFor(),
        session.notBefore(),
        session.pause(),
        session.createdAt(),
        session.updatedAt(),
        callback);
  }
}
