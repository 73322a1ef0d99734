package dev.errand.delivery;

import dev.errand.outbox.Delivery;
import dev.errand.postgres.Json;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionState;
import dev.errand.session.SessionTransitions;
import dev.errand.task.NestedTasks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
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
  private final Json json;

  ParentInbox(Mailbox mailbox, SessionTransitions sessions, NestedTasks nested, Json json) {
    this.mailbox = mailbox;
    this.sessions = sessions;
    this.nested = nested;
    this.json = json;
  }

  /**
   * Delivers to the session, which is locked first. Delivering a row a second time changes nothing
   * and is no error.
   *
   * @return false when the session is closed, or is a child whose own task has ended: it is not
   *     woken, because nothing waits for its work
   */
  @Transactional(TxType.MANDATORY)
  boolean deliver(Delivery delivery) {
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
