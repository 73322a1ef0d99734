package dev.errand.api;

import dev.errand.auth.Audit;
import dev.errand.conversation.SessionId;
import dev.errand.http.Refusal;
import dev.errand.outbox.Callback;
import dev.errand.outbox.CallbackStore;
import dev.errand.session.NewSession;
import dev.errand.session.SessionStore;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.KeyedResult;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Opens root sessions, each once for its idempotency key. */
@Singleton
class SessionOpener {

  private final RequestedSessions requested;
  private final RequestedCallbacks requestedCallbacks;
  private final KeyedRequests keyed;
  private final SessionStore sessions;
  private final CallbackStore callbacks;
  private final Audit audit;

  SessionOpener(
      RequestedSessions requested,
      RequestedCallbacks requestedCallbacks,
      KeyedRequests keyed,
      SessionStore sessions,
      CallbackStore callbacks,
      Audit audit) {
    this.requested = requested;
    this.requestedCallbacks = requestedCallbacks;
    this.keyed = keyed;
    this.sessions = sessions;
    this.callbacks = callbacks;
    this.audit = audit;
  }

  /**
   * Opens a root session and returns its id; a repetition with the same key returns the first
   * session.
   *
   * @throws Refusal a field is wrong
   */
  SessionId open(NewSessionBody body, @Nullable IdempotencyKey key) {
    var session = requested.check(body);
    var callback = requestedCallbacks.check(body.callback());
    return keyed.once(
        key,
        KeyedResult.session(session.id()),
        () -> create(session, callback, details(body)),
        made -> Objects.requireNonNull(made.session()));
  }

  private SessionId create(
      NewSession session, Optional<Callback> callback, Map<String, Object> details) {
    callback.ifPresentOrElse(
        asked -> callbacks.open(session, asked), () -> sessions.create(session));
    audit.record("session.create", session.id(), null, details);
    return session.id();
  }

  private Map<String, Object> details(NewSessionBody body) {
    var rules = requested.rules(body);
    return rules.isEmpty() ? Map.of() : Map.of("permissions", rules);
  }
}
