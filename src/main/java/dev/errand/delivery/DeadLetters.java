package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.DeadLetterStore;
import dev.errand.outbox.DeliveryState;
import dev.errand.postgres.AfterCommit;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Deliveries that failed for the last time, until an operator retries or dismisses them. */
@ApplicationScoped
public class DeadLetters {

  private static final Logger LOG = Logger.getLogger(DeadLetters.class);

  private final DeadLetterStore store;
  private final DeliveryEvents events;
  private final AfterCommit afterCommit;
  private final Hints hints;

  DeadLetters(DeadLetterStore store, DeliveryEvents events, AfterCommit afterCommit, Hints hints) {
    this.store = store;
    this.events = events;
    this.afterCommit = afterCommit;
    this.hints = hints;
  }

  /** The answer to an operator's request. */
  public sealed interface Answer {

    /**
     * The delivery is in the requested state now.
     *
     * @param session the receiver of the delivery
     */
    record Done(SessionId session) implements Answer {}

    /** The delivery is not dead; nothing was changed. */
    record NotDead(DeliveryState state) implements Answer {}

    record Unknown() implements Answer {}
  }

  /** Marks a pending delivery dead; a settled one is not changed. */
  @Transactional(TxType.MANDATORY)
  public void markDead(UUID id, String error) {
    store
        .markDead(id, error)
        .ifPresent(dead -> {
          events.dead(dead);
          afterCommit.run(() -> report(dead));
        });
  }

  private static void report(DeadLetterStore.Dead dead) {
    LOG.errorf(
        "%s, %s, could not be delivered (%s): retry or dismiss it at /v1/deliveries",
        dead.id(),
        dead.task() == null ? "a message of a session" : "the notice of " + dead.task(),
        dead.error());
  }

  /** Makes a dead delivery pending and due, with all its attempts before it. */
  @Transactional
  public Answer retry(DeliveryId id) {
    return store.lock(id).map(found -> retry(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer retry(DeliveryId id, DeadLetterStore.Locked found) {
    if (found.state() != DeliveryState.DEAD) {
      return new Answer.NotDead(found.state());
    }
    hints.afterCommit(Topic.OUTBOX);
    store.revive(id);
    return new Answer.Done(found.session());
  }

  /** Dismisses a dead delivery. Idempotent. */
  @Transactional
  public Answer dismiss(DeliveryId id) {
    return store.lock(id).map(found -> dismiss(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer dismiss(DeliveryId id, DeadLetterStore.Locked found) {
    return switch (found.state()) {
      case DEAD -> {
        store.dismiss(id);
        yield new Answer.Done(found.session());
      }
      case SUPPRESSED -> new Answer.Done(found.session());
      case PENDING, DELIVERED, CONSUMED -> new Answer.NotDead(found.state());
    };
  }
}
