package dev.errand.delivery;

import dev.errand.outbox.Delivery;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Json;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionState;
import dev.errand.session.SessionTransitions;
import dev.errand.task.NestedTasks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.Objects;

/**
 * Puts deliveries into the inboxes of parents, which wakes them. An external parent reads the
 * notice in its messages.
 */
@ApplicationScoped
class ParentInbox {

  private final Mailbox mailbox;
  private final SessionTransitions sessions;
  private final NestedTasks nested;
  private final OutboxStore outbox;
  private final Json json;
  private final TransactionSynchronizationRegistry transactions;

  ParentInbox(
      Mailbox mailbox,
      SessionTransitions sessions,
      NestedTasks nested,
      OutboxStore outbox,
      Json json,
      TransactionSynchronizationRegistry transactions) {
    this.mailbox = mailbox;
    this.sessions = sessions;
    this.nested = nested;
    this.outbox = outbox;
    this.json = json;
    this.transactions = transactions;
  }

  /**
   * Delivers one row and marks it delivered, in one transaction. The session is locked before the
   * row, as everywhere. When the row turns out to be settled already, all of it is rolled back.
   *
   * @return whether this call delivered the row
   */
  @Transactional
  boolean deliver(Delivery delivery) {
    var reached = put(delivery);
    var state = reached ? DeliveryState.DELIVERED : DeliveryState.SUPPRESSED;
    if (!outbox.settle(delivery.id(), state)) {
      transactions.setRollbackOnly();
      return false;
    }
    return reached;
  }

  /**
   * @return false when the session is closed, or is a child whose own task has ended: it is not
   *     woken, because nothing waits for its work
   */
  private boolean put(Delivery delivery) {
    sessions.lock(delivery.to());
    if (nested.isOver(delivery.to())) {
      return false;
    }
    var entry = json.read(Objects.requireNonNull(delivery.payload()), InboxEntry.class);
    return mailbox
        .replay(delivery.to(), delivery.id(), entry)
        .filter(state -> state != SessionState.CLOSED)
        .isPresent();
  }
}
