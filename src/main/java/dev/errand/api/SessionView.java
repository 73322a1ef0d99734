package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.session.Session;
import dev.errand.webhook.CallbackView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A session as clients see it. One component per field of the wire format. */
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
    @Nullable JsonNode origin,
    @Nullable JsonNode metadata,
    Instant createdAt,
    Instant updatedAt,
    @Nullable CallbackView callback) {

  static SessionView of(Session session) {
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
        details.origin(),
        details.metadata(),
        session.status().createdAt(),
        session.status().updatedAt(),
        null);
  }

  /** The same with its callback, which another table holds. */
  SessionView with(@Nullable CallbackView other) {
    return new SessionView(
        id, parentId, rootId, depth, agent, kind, title, state, model, workspace, usage, origin,
        metadata, createdAt, updatedAt, other);
  }
}
