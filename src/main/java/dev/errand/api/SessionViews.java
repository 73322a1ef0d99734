package dev.errand.api;

import dev.errand.api.http.Refusal;
import dev.errand.conversation.SessionId;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.CallbackView;
import dev.errand.session.Session;
import dev.errand.session.TreeStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Shows sessions together with the limits of their trees and with their callbacks. */
@ApplicationScoped
class SessionViews {

  private final TreeStore trees;
  private final CallbackStore callbacks;

  SessionViews(TreeStore trees, CallbackStore callbacks) {
    this.trees = trees;
    this.callbacks = callbacks;
  }

  /**
   * @throws Refusal it was deleted meanwhile
   */
  SessionView of(Session session) {
    return one(session, of(List.of(session)));
  }

  /** In the order given, without those that were deleted meanwhile. */
  List<SessionView> of(List<Session> sessions) {
    return shown(sessions, callbacks.views(sessions.stream().map(Session::id).toList()));
  }

  /**
   * The one time that the secret of its callback is shown.
   *
   * @throws Refusal it was deleted meanwhile
   */
  SessionView opened(Session session) {
    var shown = new HashMap<SessionId, CallbackView>();
    callbacks
        .active(session.id())
        .ifPresent(callback ->
            shown.put(
                session.id(),
                new CallbackView(callback.url().toString(), callback.secret().text(), null)));
    return one(session, shown(List.of(session), shown));
  }

  private static SessionView one(Session session, List<SessionView> found) {
    return found.stream().findFirst().orElseThrow(() -> Refusal.notFound("session", session.id()));
  }

  private List<SessionView> shown(List<Session> sessions, Map<SessionId, CallbackView> callback) {
    var limits =
        trees.limits(sessions.stream().map(SessionViews::root).collect(Collectors.toSet()));
    return sessions.stream()
        .flatMap(session ->
            Optional.ofNullable(limits.get(root(session)))
                .map(found -> SessionView.of(session, found, callback.get(session.id())))
                .stream())
        .toList();
  }

  private static SessionId root(Session session) {
    return session.root();
  }
}
