package dev.errand.delivery.outgoing;

import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.egress.UrlVerdict;
import dev.errand.outbox.Callback;
import dev.errand.outbox.WebhookSecret;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that webhooks may call; checked when a callback is registered and at each attempt.
 */
@Singleton
public class WebhookAddresses {

  private final EgressPolicy policy;

  @Inject
  WebhookAddresses(WebhookConfig config) {
    this(config, HostResolver.SYSTEM);
  }

  WebhookAddresses(WebhookConfig config, HostResolver names) {
    this.policy =
        new EgressPolicy(names, new EgressRules(config.httpsOnly(), config.allowPrivate()));
  }

  /** The result of the check of a callback. */
  public sealed interface CheckedCallback {

    record Fit(Callback callback) implements CheckedCallback {}

    /**
     * A field is not valid.
     *
     * @param field of the callback
     */
    record InvalidCallback(String field, String message) implements CheckedCallback {}

    /** The URL is valid, but must not be called. */
    record Forbidden(String message) implements CheckedCallback {}
  }

  /**
   * Checks a callback before it is registered. Looks up the host; called outside of transactions.
   *
   * @param secret null: one is generated
   */
  public CheckedCallback check(String url, @Nullable String secret) {
    var key = secret == null ? WebhookSecret.random() : WebhookSecret.parse(secret).orElse(null);
    if (key == null) {
      return new CheckedCallback.InvalidCallback(
          "secret", "must be whsec_ and the Base64 of 24 to 64 bytes");
    }
    return switch (policy.judge(url)) {
      case UrlVerdict.Allowed allowed -> new CheckedCallback.Fit(new Callback(allowed.url(), key));
      case UrlVerdict.Malformed malformed ->
          new CheckedCallback.InvalidCallback("url", malformed.reason());
      case UrlVerdict.Refused refused -> new CheckedCallback.Forbidden(refused.reason());
    };
  }

  EgressPolicy policy() {
    return policy;
  }
}
