package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.TaskId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import dev.errand.outbox.DeadLetterStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jspecify.annotations.Nullable;

/** The events of deliveries. */
@ApplicationScoped
class DeliveryEvents {

  private final Events events;

  DeliveryEvents(Events events) {
    this.events = events;
  }

  /**
   * @param taskId null for a message of the session itself
   */
  private record DeadData(
      DeliveryId deliveryId,
      @Nullable TaskId taskId,
      String target,
      int attempts,
      String lastError) {}

  /** A delivery is dead. Recorded in the transaction that marks it dead. */
  @Transactional(Transactional.TxType.MANDATORY)
  void dead(DeadLetterStore.Dead dead) {
    var data = new DeadData(dead.id(), dead.task(), dead.target(), dead.attempts(), dead.error());
    events.record(new NewEvent(dead.session(), EventType.DELIVERY_DEAD, dead.task(), data));
  }
}
