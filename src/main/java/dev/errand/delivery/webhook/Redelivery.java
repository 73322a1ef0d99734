package dev.errand.delivery.webhook;

import dev.errand.conversation.DeliveryId;
import dev.errand.delivery.DeadLetters;
import dev.errand.outbox.CallbackStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/**
 * Retries a dead delivery. A disabled callback is enabled as well, because the retry would have no
 * effect otherwise.
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
      callbacks.enable(done.callback());
    }
    return answer;
  }
}
