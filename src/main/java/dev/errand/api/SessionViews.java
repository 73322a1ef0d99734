package dev.errand.api;

import dev.errand.conversation.SessionId;
import dev.errand.session.Session;
import dev.errand.session.TreeStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Shows sessions together with the limits of their trees. */
@ApplicationScoped
class SessionViews {

  private final TreeStore trees;

  SessionViews(TreeStore trees) {
    this.trees = trees;
  }

  /**
   * @throws Refusal it was deleted meanwhile
   */
  SessionView of(Session session) {
    return of(List.of(session)).stream()
        .findFirst()
        .orElseThrow(() -> Refusal.notFound("session", session.id().toString()));
  }

  /** In the order given, without those that were deleted meanwhile. */
  List<SessionView> of(List<Session> sessions) {
    var limits =
        trees.limits(sessions.stream().map(SessionViews::root).collect(Collectors.toSet()));
    return sessions.stream()
        .flatMap(session ->
            Optional.ofNullable(limits.get(root(session)))
                .map(found -> SessionView.of(session, found))
                .stream())
        .toList();
  }

  private static SessionId root(Session session) {
    return session.lineage().root();
  }
}
