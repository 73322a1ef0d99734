package dev.errand.session;

import dev.errand.conversation.SessionId;

/**
 * A session to be created.
 *
 * @param limits of its tree, when it is a root; a child shares its root's
 */
public record NewSession(
    SessionId id,
    Session.Lineage lineage,
    Session.Profile profile,
    Session.Details details,
    LimitWishes limits) {

  /** A root of its own tree. */
  public static NewSession root(Session.Profile profile, Session.Details details) {
    var id = SessionId.next();
    return new NewSession(id, new Session.Lineage(null, id, 0), profile, details, LimitWishes.NONE);
  }

  /** The same with limits of its own. */
  public NewSession within(LimitWishes wishes) {
    return new NewSession(id, lineage, profile, details, wishes);
  }

  /** A child in {@code parent}'s tree; it has its origin, so that results find their way (D7). */
  public static NewSession childOf(Session parent, Session.Profile profile) {
    var lineage =
        new Session.Lineage(parent.id(), parent.lineage().root(), parent.lineage().depth() + 1);
    var details = new Session.Details(null, parent.details().origin(), null);
    return new NewSession(SessionId.next(), lineage, profile, details, LimitWishes.NONE);
  }
}
