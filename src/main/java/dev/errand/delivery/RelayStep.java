package dev.errand.delivery;

import dev.errand.outbox.Delivery;
import dev.errand.outbox.OutboxStore;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.List;

/**
 * Delivers one row and marks it delivered, in one transaction. The target locks its session before
 * the row is touched, as everybody does; when the row turns out to be settled already, all of it is
 * rolled back.
 */
@ApplicationScoped
class RelayStep {

  private final List<OutboxTarget> targets;
  private final OutboxStore outbox;
  private final DeadLetters deadLetters;
  private final OutboxConfig config;
  private final TransactionSynchronizationRegistry transactions;

  RelayStep(
      @All List<OutboxTarget> targets,
      OutboxStore outbox,
      DeadLetters deadLetters,
      OutboxConfig config,
      TransactionSynchronizationRegistry transactions) {
    this.targets = targets;
    this.outbox = outbox;
    this.deadLetters = deadLetters;
    this.config = config;
    this.transactions = transactions;
  }

  /**
   * @return whether this call delivered it
   */
  @Transactional
  boolean replay(Delivery delivery) {
    var reached = target(delivery.target()).deliver(delivery);
    if (!outbox.settle(delivery.id(), reached ? "delivered" : "suppressed")) {
      transactions.setRollbackOnly();
      return false;
    }
    return reached;
  }

  /** Counts a failed attempt; after the last one the row is dead. */
  @Transactional
  void failed(Delivery delivery, String error) {
    if (outbox.countFailure(delivery.id(), null, error) >= config.attempts()) {
      deadLetters.bury(delivery.id(), error);
    } else {
      outbox.postpone(delivery.id());
    }
  }

  private OutboxTarget target(String name) {
    return targets.stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no outbox target named " + name));
  }
}
