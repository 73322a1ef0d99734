package dev.errand.session;

import dev.errand.conversation.SessionId;

/** A session to be created. */
public record NewSession(
    SessionId id, Session.Lineage lineage, Session.Profile profile, Session.Details details) {

  /** A root of its own tree. */
  public static NewSession root(Session.Profile profile, Session.Details details) {
    var id = SessionId.next();
    return new NewSession(id, new Session.Lineage(null, id, 0), profile, details);
  }

  /** A child in {@code parent}'s tree; it has its origin, so that results find their way (D7). */
  public static NewSession childOf(Session parent, Session.Profile profile) {
    var lineage =
        new Session.Lineage(parent.id(), parent.lineage().root(), parent.lineage().depth() + 1);
    var details = new Session.Details(null, parent.details().origin(), null);
    return new NewSession(SessionId.next(), lineage, profile, details);
  }
}
