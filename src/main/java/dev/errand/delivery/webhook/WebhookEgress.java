package dev.errand.delivery.webhook;

import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressPolicy.HostResolver;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * The addresses that webhooks may call; checked when a callback is registered and at each attempt.
 */
@Singleton
class WebhookEgress {

  private final EgressPolicy policy;

  @Inject
  WebhookEgress(WebhookConfig config) {
    this(config, HostResolver.SYSTEM);
  }

  WebhookEgress(WebhookConfig config, HostResolver names) {
    this.policy =
        new EgressPolicy(names, new EgressPolicy.Rules(config.httpsOnly(), config.allowPrivate()));
  }

  EgressPolicy policy() {
    return policy;
  }
}
