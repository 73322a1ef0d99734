package dev.errand.api;

import dev.errand.delivery.outgoing.WebhookAddresses;
import dev.errand.http.Problem;
import dev.errand.http.Refusal;
import dev.errand.outbox.Callback;
import dev.errand.outbox.Callback.TaskCallback;
import dev.errand.outbox.CallbackEvent;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.CallbackView;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Callbacks in requests: checks them, and shows them once with their secret. */
@Singleton
class RequestedCallbacks {

  private final WebhookAddresses addresses;
  private final CallbackStore store;

  RequestedCallbacks(WebhookAddresses addresses, CallbackStore store) {
    this.addresses = addresses;
    this.store = store;
  }

  /**
   * @throws Refusal the callback is not valid
   */
  Optional<Callback> check(NewSessionBody.@Nullable NewCallback asked) {
    return asked == null ? Optional.empty() : Optional.of(checked(asked.url(), asked.secret()));
  }

  /**
   * @throws Refusal the callback is not valid
   */
  TaskCallback check(NewTaskBody.NewTaskCallback asked) {
    var events = Objects.requireNonNullElse(asked.events(), List.of(CallbackEvent.ENDED));
    return new TaskCallback(checked(asked.url(), asked.secret()), Set.copyOf(events));
  }

  private Callback checked(String url, @Nullable String secret) {
    return switch (addresses.check(url, secret)) {
      case WebhookAddresses.CheckedCallback.Fit fit -> fit.callback();
      case WebhookAddresses.CheckedCallback.InvalidCallback malformed ->
          throw Refusal.invalid("callback." + malformed.field(), malformed.message());
      case WebhookAddresses.CheckedCallback.Forbidden forbidden ->
          throw new Refusal(
              Problem.UNPROCESSABLE,
              "The callback address is not allowed.",
              List.of(new FieldProblem("callback.url", forbidden.message())));
    };
  }

  /**
   * Returns the callback with its secret, which only the response to its registration contains;
   * empty without a callback.
   *
   * @param id the session or the task
   * @param what for a message: {@code Session ses_01… is open}
   * @throws Refusal the secret cannot be decrypted
   */
  Optional<CallbackView> registered(UUID id, String what) {
    try {
      return store
          .active(id)
          .map(callback ->
              new CallbackView(callback.url().toString(), callback.secret().text(), null));
    } catch (UnreadableSecret fault) {
      throw new Refusal(
          Status.SERVICE_UNAVAILABLE, what + ", but " + fault.getMessage() + ".", List.of());
    }
  }
}
