package dev.errand.api;

import dev.errand.api.http.Problem;
import dev.errand.api.http.Refusal;
import dev.errand.delivery.webhook.CallbackCheck;
import dev.errand.outbox.Callback;
import dev.errand.tool.FieldProblem;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** Callbacks of sessions, as clients ask for them. */
@ApplicationScoped
class CallbackDoor {

  private static final String FIELD = "callback";

  private final CallbackCheck check;

  CallbackDoor(CallbackCheck check) {
    this.check = check;
  }

  /**
   * The callback that the body asks for.
   *
   * @throws Refusal 400 it is malformed; 422 it must not be called
   */
  Optional<Callback> read(NewSessionBody body) {
    var asked = body.callback();
    if (asked == null) {
      return Optional.empty();
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
}
