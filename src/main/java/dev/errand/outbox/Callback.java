package dev.errand.outbox;

import java.net.URI;
import java.util.Set;

/** The URL to which a session's results and messages are posted. */
public record Callback(URI url, WebhookSecret secret) {

  /**
   * The callback of one task.
   *
   * @param events what is posted to it
   */
  public record TaskCallback(Callback callback, Set<CallbackEvent> events) {}
}
