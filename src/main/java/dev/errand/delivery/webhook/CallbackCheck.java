package dev.errand.delivery.webhook;

import dev.errand.egress.EgressPolicy.Verdict;
import dev.errand.outbox.Callback;
import dev.errand.outbox.WebhookSecret;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Checks a callback before it is registered. */
@ApplicationScoped
public class CallbackCheck {

  private final WebhookEgress egress;

  CallbackCheck(WebhookEgress egress) {
    this.egress = egress;
  }

  /** The result of the check. */
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
   * Looks up the host; called outside of transactions.
   *
   * @param secret null: one is generated
   */
  public Outcome check(String url, @Nullable String secret) {
    var key = secret == null ? WebhookSecret.random() : WebhookSecret.parse(secret).orElse(null);
    if (key == null) {
      return new Outcome.Malformed("secret", "must be whsec_ and the Base64 of 24 to 64 bytes");
    }
    return switch (egress.policy().judge(url)) {
      case Verdict.Allowed allowed -> new Outcome.Fit(new Callback(allowed.url(), key));
      case Verdict.Malformed malformed -> new Outcome.Malformed("url", malformed.reason());
      case Verdict.Refused refused -> new Outcome.Forbidden(refused.reason());
    };
  }
}
