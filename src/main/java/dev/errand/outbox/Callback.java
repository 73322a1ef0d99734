package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.errand.conversation.Word;
import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The URL to which a session's results and messages are posted. */
public record Callback(URI url, WebhookSecret secret) {

  /**
   * The callback of one task.
   *
   * @param events what is posted to it
   */
  public record TaskCallback(Callback callback, Set<CallbackEvent> events) {}

  /** What is posted to the callback of a task. */
  public enum CallbackEvent implements Word {
    STARTED,
    /** Only of a background task. */
    PROGRESS,
    ENDED
  }

  /**
   * A callback as clients see it.
   *
   * @param secret shown once, in the answer to the registration; later null
   * @param state {@code active}, or {@code disabled} after the receiver answered 410; null together
   *     with the secret
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record CallbackView(String url, @Nullable String secret, @Nullable String state) {}
}
