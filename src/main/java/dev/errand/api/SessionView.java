package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackView;
import dev.errand.session.Limits;
import dev.errand.session.Session;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session as clients see it. One component per field of the wire format.
 *
 * @param limits of its whole tree
 */
record SessionView(
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
    @Nullable JsonNode origin,
    @Nullable JsonNode metadata,
    Instant createdAt,
    Instant updatedAt,
    @Nullable CallbackView callback) {

  static SessionView of(Session session, Limits limits, @Nullable CallbackView callback) {
    return new SessionView(
        session.id(),
        session.parent(),
        session.root(),
        session.depth(),
        session.agent(),
        session.kind().word(),
        session.title(),
        session.state().word(),
        session.model(),
        session.workspace().toString(),
        session.usage(),
        limits,
        session.origin(),
        session.metadata(),
        session.createdAt(),
        session.updatedAt(),
        callback);
  }
}
