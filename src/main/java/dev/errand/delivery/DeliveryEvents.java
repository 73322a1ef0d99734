package dev.errand.delivery;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.TaskId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import dev.errand.outbox.DeadLetterStore;
import dev.errand.outbox.Delivery;
import dev.errand.postgres.AfterCommit;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import org.jspecify.annotations.Nullable;

/** The events of deliveries. */
@Singleton
public class DeliveryEvents {

  private final Events events;
  private final DeliveryLag lag;
  private final AfterCommit afterCommit;

  DeliveryEvents(Events events, DeliveryLag lag, AfterCommit afterCommit) {
    this.events = events;
    this.lag = lag;
    this.afterCommit = afterCommit;
  }

  /**
   * @param taskId left out for a message of the session itself
   * @param lagMs since the end of the task, or since the message
   */
  @JsonInclude(Include.NON_NULL)
  private record DeliveredData(
      DeliveryId deliveryId, @Nullable TaskId taskId, String target, long lagMs) {}

  /** Records that a row is delivered, in the transaction that settles it. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void delivered(Delivery delivery) {
    var data =
        new DeliveredData(
            new DeliveryId(delivery.id()),
            delivery.task(),
            delivery.target(),
            lag.of(delivery).toMillis());
    events.record(new NewEvent(delivery.to(), EventType.DELIVERY_DELIVERED, delivery.task(), data));
    afterCommit.run(() -> lag.delivered(delivery));
  }

  /**
   * @param taskId left out for a message of the session itself
   */
  @JsonInclude(Include.NON_NULL)
  private record DeadData(
      DeliveryId deliveryId,
      @Nullable TaskId taskId,
      String target,
      int attempts,
      String lastError) {}

  /** Records that a delivery is dead, in the transaction that marks it dead. */
  @Transactional(Transactional.TxType.MANDATORY)
  void dead(DeadLetterStore.DeadDelivery dead) {
    var data = new DeadData(dead.id(), dead.task(), dead.target(), dead.attempts(), dead.error());
    events.record(new NewEvent(dead.session(), EventType.DELIVERY_DEAD, dead.task(), data));
  }
}
