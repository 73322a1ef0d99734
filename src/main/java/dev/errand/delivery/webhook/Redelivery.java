package dev.errand.delivery.webhook;

import dev.errand.conversation.DeliveryId;
import dev.errand.delivery.DeadLetters;
import dev.errand.outbox.CallbackStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/**
 * Retries a dead delivery; a callback that was disabled is enabled with it, or it would be in vain.
 */
@ApplicationScoped
public class Redelivery {

  private final DeadLetters deadLetters;
  private final CallbackStore callbacks;

  Redelivery(DeadLetters deadLetters, CallbackStore callbacks) {
    this.deadLetters = deadLetters;
    this.callbacks = callbacks;
  }

  @Transactional
  public DeadLetters.Answer retry(DeliveryId id) {
    var answer = deadLetters.retry(id);
    if (answer instanceof DeadLetters.Answer.Done done) {
      callbacks.enable(done.delivery().sessionId());
    }
    return answer;
  }
}
