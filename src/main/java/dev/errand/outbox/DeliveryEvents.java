package dev.errand.outbox;

import dev.errand.conversation.TaskId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.UUID;

/** What a parent's stream tells of deliveries (C4). */
@ApplicationScoped
public class DeliveryEvents {

  private final Events events;

  DeliveryEvents(Events events) {
    this.events = events;
  }

  private record DeadData(
      UUID deliveryId, TaskId taskId, String target, int attempts, String lastError) {}

  /** A delivery was given up, in the transaction that marks it dead. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void dead(TaskId task, Delivery delivery, int attempts, String lastError) {
    var data = new DeadData(delivery.id(), task, delivery.target(), attempts, lastError);
    events.record(new NewEvent(delivery.to(), EventType.DELIVERY_DEAD, task, data));
  }
}
