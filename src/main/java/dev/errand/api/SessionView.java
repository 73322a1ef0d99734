package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.session.Limits;
import dev.errand.session.Session;
import dev.errand.outbox.CallbackView;
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
    Session.Totals usage,
    Limits limits,
    @Nullable JsonNode origin,
    @Nullable JsonNode metadata,
    Instant createdAt,
    Instant updatedAt,
    @Nullable CallbackView callback) {

  static SessionView of(Session session, Limits limits, @Nullable CallbackView callback) {
    var lineage = session.lineage();
    var profile = session.profile();
    var details = session.details();
    return new SessionView(
        session.id(),
        lineage.parent(),
        lineage.root(),
        lineage.depth(),
        profile.agent(),
        profile.kind().word(),
        details.title(),
        session.status().state().word(),
        profile.model(),
        profile.workspace().toString(),
        session.totals(),
        limits,
        details.origin(),
        details.metadata(),
        session.status().createdAt(),
        session.status().updatedAt(),
        callback);
  }
}
