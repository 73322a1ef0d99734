package dev.errand.outbox;

import java.net.URI;
import java.util.Locale;

/** Where a session's owner wants to be told. */
public record Callback(URI url, WebhookSecret secret) {

  /** Its receiver, as far as one that hangs is told from others: the host. */
  public String lane() {
    return url.getHost().toLowerCase(Locale.ROOT);
  }
}
