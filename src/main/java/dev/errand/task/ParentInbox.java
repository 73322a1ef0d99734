package dev.errand.task;

import dev.errand.outbox.Delivery;
import dev.errand.outbox.OutboxTarget;
import dev.errand.postgres.Json;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Delivers into the parent's inbox, and so wakes it; an external parent finds the notice in its
 * messages.
 */
@ApplicationScoped
class ParentInbox implements OutboxTarget {

  private final Mailbox mailbox;
  private final Json json;

  ParentInbox(Mailbox mailbox, Json json) {
    this.mailbox = mailbox;
    this.json = json;
  }

  @Override
  public String name() {
    return "session";
  }

  @Override
  public boolean deliver(Delivery delivery) {
    var entry = json.read(delivery.payload(), InboxEntry.class);
    return mailbox.replay(delivery.to(), delivery.id(), entry).isPresent();
  }
}
