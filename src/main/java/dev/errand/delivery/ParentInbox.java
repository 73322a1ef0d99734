package dev.errand.delivery;

import dev.errand.conversation.SessionId;
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
  private final DeliveryEvents events;
  private final Json json;
  private final TransactionSynchronizationRegistry transactions;

  ParentInbox(
      Mailbox mailbox,
      SessionTransitions sessions,
      NestedTasks nested,
      OutboxStore outbox,
      DeliveryEvents events,
      Json json,
      TransactionSynchronizationRegistry transactions) {
    this.mailbox = mailbox;
    this.sessions = sessions;
    this.nested = nested;
    this.outbox = outbox;
    this.events = events;
    this.json = json;
    this.transactions = transactions;
  }

  /** What became of a row. */
  enum Outcome {
    DELIVERED,
    /** The session takes no deliveries any more, or the row was settled before. */
    NOT_NEEDED,
    /**
     * Another transaction holds the session, or only a newer version of the service can read it.
     */
    HELD
  }

  /**
   * Delivers one row and marks it delivered, in one transaction. The session is locked before the
   * row, as everywhere. When the row turns out to be settled already, all of it is rolled back.
   *
   * @param waits whether to wait for a session that another transaction holds
   */
  @Transactional
  Outcome deliver(Delivery delivery, boolean waits) {
    var entry = json.readKnown(Objects.requireNonNull(delivery.payload()), InboxEntry.class);
    if (entry.isEmpty() || !holds(delivery.to(), waits)) {
      return Outcome.HELD;
    }
    var reached = put(delivery, entry.get());
    var state = reached ? DeliveryState.DELIVERED : DeliveryState.SUPPRESSED;
    var settled = outbox.settle(delivery.id(), state);
    if (settled.isEmpty()) {
      transactions.setRollbackOnly();
      return Outcome.NOT_NEEDED;
    }
    if (!reached) {
      return Outcome.NOT_NEEDED;
    }
    events.delivered(delivery, settled.get());
    return Outcome.DELIVERED;
  }

  private boolean holds(SessionId session, boolean waits) {
    if (!waits) {
      return sessions.tryLock(session).isPresent();
    }
    sessions.lock(session);
    return true;
  }

  /**
   * @return false when the session is closed, or is a child whose own task has ended: it is not
   *     woken, because nothing waits for its work
   */
  private boolean put(Delivery delivery, InboxEntry entry) {
    if (nested.isOver(delivery.to())) {
      return false;
    }
    return mailbox
        .replay(delivery.to(), delivery.id(), delivery.generation(), entry)
        .filter(state -> state != SessionState.CLOSED)
        .isPresent();
  }
}
