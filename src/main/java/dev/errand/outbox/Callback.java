package dev.errand.outbox;

import java.net.URI;
import java.util.Locale;

/** The URL to which a session's results and messages are posted. */
public record Callback(URI url, WebhookSecret secret) {

  /** The receiver's host, by which concurrent posts are limited. */
  public String lane() {
    return url.getHost().toLowerCase(Locale.ROOT);
  }
}
