package dev.errand.api;

import dev.errand.conversation.SessionId;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.tool.FieldProblem;
import dev.errand.webhook.Callback;
import dev.errand.webhook.CallbackCheck;
import dev.errand.webhook.CallbackStore;
import dev.errand.webhook.CallbackView;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** Callbacks of sessions: what clients ask for, and what they see of it. */
@ApplicationScoped
class CallbackDoor {

  private static final String FIELD = "callback";

  private final CallbackCheck check;
  private final CallbackStore callbacks;

  CallbackDoor(CallbackCheck check, CallbackStore callbacks) {
    this.check = check;
    this.callbacks = callbacks;
  }

  /**
   * The callback that the body asks for.
   *
   * @throws Refusal 400 it is malformed or the session is hosted; 422 it must not be called
   */
  Optional<Callback> read(NewSessionBody body) {
    var asked = body.callback();
    if (asked == null) {
      return Optional.empty();
    }
    if (!SessionKind.EXTERNAL.word().equals(body.kind())) {
      throw Refusal.invalid(FIELD, "is for sessions of kind external only");
    }
    return switch (check.check(asked.url(), asked.secret())) {
      case CallbackCheck.Outcome.Fit fit -> Optional.of(fit.callback());
      case CallbackCheck.Outcome.Malformed malformed ->
          throw Refusal.invalid(FIELD + "." + malformed.field(), malformed.message());
      case CallbackCheck.Outcome.Forbidden forbidden ->
          throw new Refusal(
              Problem.UNPROCESSABLE,
              "The callback must not be called.",
              List.of(new FieldProblem(FIELD + ".url", forbidden.message())));
    };
  }

  SessionView shown(Session session) {
    return shown(List.of(session)).getFirst();
  }

  List<SessionView> shown(List<Session> sessions) {
    var views = callbacks.views(sessions.stream().map(Session::id).toList());
    return sessions.stream()
        .map(session -> SessionView.of(session).with(views.get(session.id())))
        .toList();
  }

  /** The one time that the secret is shown. */
  SessionView opened(Session session) {
    SessionId id = session.id();
    var view =
        callbacks
            .active(id)
            .map(callback ->
                new CallbackView(callback.url().toString(), callback.secret().text(), null));
    return SessionView.of(session).with(view.orElse(null));
  }
}
