package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.DeadLetterStore;
import dev.errand.outbox.Delivery.DeliveryKind;
import dev.errand.outbox.Delivery.DeliveryState;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.Arrivals;
import dev.errand.session.InboxEntry;
import dev.errand.session.SessionLocks;
import dev.errand.task.Task;
import dev.errand.task.TaskStore;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Deliveries that failed for the last time, until an operator retries or dismisses them. */
@Singleton
public class DeadLetters {

  private static final Logger LOG = Logger.getLogger(DeadLetters.class);

  private static final String DISMISSED =
      "The task has ended, but its result could not be delivered, and an operator has dismissed the"
          + " delivery. Read the result with task_output (task_id: %s), or continue without it.";

  private final DeadLetterStore store;
  private final CallbackStore callbacks;
  private final SessionLocks locks;
  private final TaskStore tasks;
  private final Arrivals arrivals;
  private final DeliveryEvents events;
  private final AfterCommit afterCommit;
  private final Hints hints;

  DeadLetters(
      DeadLetterStore store,
      CallbackStore callbacks,
      SessionLocks locks,
      TaskStore tasks,
      Arrivals arrivals,
      DeliveryEvents events,
      AfterCommit afterCommit,
      Hints hints) {
    this.store = store;
    this.callbacks = callbacks;
    this.locks = locks;
    this.tasks = tasks;
    this.arrivals = arrivals;
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
        dead.task() == null ? "a message of a session" : "what was sent about " + dead.task(),
        dead.error());
  }

  /**
   * Makes a dead delivery pending and due, with all its attempts before it. A disabled callback is
   * enabled as well, because the retry would have no effect otherwise.
   */
  @Transactional
  public Answer retry(DeliveryId id) {
    return store.lock(id).map(found -> retry(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer retry(DeliveryId id, DeadLetterStore.Found found) {
    if (found.state() != DeliveryState.DEAD) {
      return new Answer.NotDead(found.state());
    }
    hints.afterCommit(Topic.OUTBOX);
    hints.afterCommit(Topic.OUTGOING);
    store.revive(id);
    callbacks.enable(found.callback());
    return new Answer.Done(found.session());
  }

  /**
   * Dismisses a dead delivery. A tool call that waits for it gets an error as its answer.
   * Idempotent.
   */
  @Transactional
  public Answer dismiss(DeliveryId id) {
    store
        .find(id)
        .filter(found -> found.kind() == DeliveryKind.TOOL_RESULT)
        .ifPresent(found -> locks.lock(found.session()));
    return store.lock(id).map(found -> dismiss(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer dismiss(DeliveryId id, DeadLetterStore.Found found) {
    return switch (found.state()) {
      case DEAD -> {
        if (found.kind() == DeliveryKind.TOOL_RESULT && found.task() != null) {
          tasks.find(found.task()).ifPresent(task -> answerCall(id, task));
        }
        store.dismiss(id);
        yield new Answer.Done(found.session());
      }
      case SUPPRESSED -> new Answer.Done(found.session());
      case PENDING, DELIVERED, CONSUMED -> new Answer.NotDead(found.state());
    };
  }

  /** The stored answer may be the reason why the delivery failed, so the task is asked. */
  private void answerCall(DeliveryId id, Task task) {
    var call = task.parentCall();
    var endedAt = task.endedAt();
    if (call != null && endedAt != null) {
      var text = DISMISSED.formatted(task.id());
      var answer = new InboxEntry.ToolAnswer(call, text, true, endedAt);
      arrivals.put(task.parent(), Arrivals.Arrival.of(id.value(), answer));
    }
  }
}
