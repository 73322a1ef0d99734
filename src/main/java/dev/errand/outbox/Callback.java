package dev.errand.outbox;

import java.net.URI;

/** The URL to which a session's results and messages are posted. */
public record Callback(URI url, WebhookSecret secret) {}
