package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.secret.Secrets;
import dev.errand.session.Limits.RequestedLimits;
import org.jspecify.annotations.Nullable;

/**
 * A session to be created.
 *
 * @param tenant of the caller that opens a root; a child has that of its parent
 * @param parent null for a root
 * @param generation of the task that the session is created for; 0 for a root
 * @param limits of the new tree when the session is a root; a child shares its root's
 * @param owner the subject that opens a root; null for a child, and without authentication
 */
public record NewSession(
    SessionId id,
    String tenant,
    @Nullable SessionId parent,
    SessionId root,
    int depth,
    int generation,
    SessionSpec spec,
    SessionDetails details,
    RequestedLimits limits,
    @Nullable String owner) {

  /**
   * The details that the creator stores with the session.
   *
   * @param temporary whether the tree of a root is deleted a day after the end of its tasks
   */
  public record SessionDetails(
      @Nullable String title,
      @Nullable JsonNode origin,
      @Nullable JsonNode metadata,
      boolean temporary) {

    public SessionDetails(
        @Nullable String title, @Nullable JsonNode origin, @Nullable JsonNode metadata) {
      this(title, origin, metadata, false);
    }

    public SessionDetails {
      title = title == null ? null : Secrets.masked(title);
    }

    public static final SessionDetails NONE = new SessionDetails(null, null, null);
  }

  /** Returns a root of its own tree. */
  public static NewSession root(String tenant, SessionSpec spec, SessionDetails details) {
    var id = SessionId.next();
    return new NewSession(id, tenant, null, id, 0, 0, spec, details, RequestedLimits.NONE, null);
  }

  /** Returns the same root, opened by this subject. */
  public NewSession ownedBy(@Nullable String subject) {
    return new NewSession(
        id, tenant, parent, root, depth, generation, spec, details, limits, subject);
  }

  /** Returns the same root with these limits. */
  public NewSession within(RequestedLimits requested) {
    return new NewSession(
        id, tenant, parent, root, depth, generation, spec, details, requested, owner);
  }

  /** Returns the same root, whose tree is deleted a day after the end of its tasks. */
  public NewSession temporary() {
    var kept = new SessionDetails(details.title(), details.origin(), details.metadata(), true);
    return new NewSession(id, tenant, parent, root, depth, generation, spec, kept, limits, owner);
  }

  /**
   * Returns a child in {@code parent}'s tree. It inherits the origin, which events and results
   * carry.
   */
  public static NewSession childOf(Session parent, int generation, SessionSpec spec) {
    var details = new SessionDetails(null, parent.origin(), null);
    return new NewSession(
        SessionId.next(),
        parent.tenant(),
        parent.id(),
        parent.root(),
        parent.depth() + 1,
        generation,
        spec,
        details,
        RequestedLimits.NONE,
        null);
  }
}
