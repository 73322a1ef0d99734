package dev.errand.delivery.outgoing;

import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressPolicy.HostResolver;
import dev.errand.egress.EgressPolicy.Verdict;
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
        new EgressPolicy(names, new EgressPolicy.Rules(config.httpsOnly(), config.allowPrivate()));
  }

  /** The result of the check of a callback. */
  public sealed interface Outcome {

    record Fit(Callback callback) implements Outcome {}

    /**
     * A field is not valid.
     *
     * @param field of the callback
     */
    record Malformed(String field, String message) implements Outcome {}

    /** The URL is valid, but must not be called. */
    record Forbidden(String message) implements Outcome {}
  }

  /**
   * Checks a callback before it is registered. Looks up the host; called outside of transactions.
   *
   * @param secret null: one is generated
   */
  public Outcome check(String url, @Nullable String secret) {
    var key = secret == null ? WebhookSecret.random() : WebhookSecret.parse(secret).orElse(null);
    if (key == null) {
      return new Outcome.Malformed("secret", "must be whsec_ and the Base64 of 24 to 64 bytes");
    }
    return switch (policy.judge(url)) {
      case Verdict.Allowed allowed -> new Outcome.Fit(new Callback(allowed.url(), key));
      case Verdict.Malformed malformed -> new Outcome.Malformed("url", malformed.reason());
      case Verdict.Refused refused -> new Outcome.Forbidden(refused.reason());
    };
  }

  EgressPolicy policy() {
    return policy;
  }
}
