package dev.errand.delivery;

import dev.errand.outbox.Delivery;
import dev.errand.postgres.Json;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionState;
import dev.errand.session.SessionTransitions;
import dev.errand.task.NestedTasks;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Objects;

/**
 * Delivers into the parent's inbox, and so wakes it; an external parent finds the notice in its
 * messages.
 */
@ApplicationScoped
class ParentInbox implements OutboxTarget {

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

  @Override
  public String name() {
    return "session";
  }

  /** A child whose own task is over is not woken: it would work for nobody. */
  @Override
  public boolean deliver(Delivery delivery) {
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
