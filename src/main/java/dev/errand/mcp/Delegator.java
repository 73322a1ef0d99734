package dev.errand.mcp;

import dev.errand.auth.Callers;
import dev.errand.conversation.SessionId;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.tool.ToolFailure;
import dev.errand.view.Visibility;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The session in whose name a call delegates: the one of its header, or that of its token. */
@Singleton
class Delegator {

  private final Callers callers;
  private final Visibility visibility;
  private final SessionStore sessions;

  Delegator(Callers callers, Visibility visibility, SessionStore sessions) {
    this.callers = callers;
    this.visibility = visibility;
    this.sessions = sessions;
  }

  /**
   * Returns the session; empty when the call names none.
   *
   * @throws ToolFailure the session cannot delegate for this caller
   */
  Optional<SessionId> of(@Nullable String header) {
    var named = header == null ? ofToken() : Optional.of(header);
    return named.map(id ->
        SessionId.parse(id)
            .filter(visibility::includes)
            .flatMap(sessions::find)
            .filter(Delegator::isOpenExternalRoot)
            .map(Session::id)
            .orElseThrow(() ->
                new ToolFailure(
                    Protocol.SESSION_HEADER
                        + ": there is no open external root session "
                        + id
                        + "; open one with POST /v1/sessions and kind external, or leave the header"
                        + " out")));
  }

  /** A session token is for one session. */
  private Optional<String> ofToken() {
    return callers
        .current()
        .flatMap(caller -> Optional.ofNullable(caller.scope()))
        .map(SessionId::toString);
  }

  /** Returns whether a session can be given to {@link #of}. */
  boolean mayDelegate(SessionId id) {
    return sessions.find(id).filter(Delegator::isOpenExternalRoot).isPresent();
  }

  private static boolean isOpenExternalRoot(Session session) {
    return session.kind() == SessionKind.EXTERNAL
        && session.parent() == null
        && session.state() != SessionState.CLOSED;
  }
}
