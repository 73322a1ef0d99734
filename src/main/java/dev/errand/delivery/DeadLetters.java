package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.DeadLetterStore;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.DeliveryState;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.InboxDelivery;
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
  private final InboxDelivery inboxes;
  private final DeliveryEvents events;
  private final AfterCommit afterCommit;
  private final Hints hints;

  DeadLetters(
      DeadLetterStore store,
      CallbackStore callbacks,
      SessionLocks locks,
      TaskStore tasks,
      InboxDelivery inboxes,
      DeliveryEvents events,
      AfterCommit afterCommit,
      Hints hints) {
    this.store = store;
    this.callbacks = callbacks;
    this.locks = locks;
    this.tasks = tasks;
    this.inboxes = inboxes;
    this.events = events;
    this.afterCommit = afterCommit;
    this.hints = hints;
  }

  /** The answer to an operator's request. */
  public sealed interface DeadLetterAnswer {

    /**
     * The delivery is in the requested state now.
     *
     * @param session the receiver of the delivery
     */
    record InRequestedState(SessionId session) implements DeadLetterAnswer {}

    /** The delivery is not dead; nothing was changed. */
    record NotDead(DeliveryState state) implements DeadLetterAnswer {}

    record UnknownDelivery() implements DeadLetterAnswer {}
  }

  /** Marks a pending delivery dead; a settled delivery is not changed. */
  @Transactional(TxType.MANDATORY)
  public void markDead(UUID id, String error) {
    store
        .markDead(id, error)
        .ifPresent(dead -> {
          events.dead(dead);
          afterCommit.run(() -> report(dead));
        });
  }

  private static void report(DeadLetterStore.DeadDelivery dead) {
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
  public DeadLetterAnswer retry(DeliveryId id) {
    return store
        .lock(id)
        .map(found -> retry(id, found))
        .orElseGet(DeadLetterAnswer.UnknownDelivery::new);
  }

  private DeadLetterAnswer retry(DeliveryId id, DeadLetterStore.FoundDelivery found) {
    if (found.state() != DeliveryState.DEAD) {
      return new DeadLetterAnswer.NotDead(found.state());
    }
    hints.afterCommit(Topic.OUTBOX);
    hints.afterCommit(Topic.OUTGOING);
    store.revive(id);
    callbacks.enable(found.callback());
    return new DeadLetterAnswer.InRequestedState(found.session());
  }

  /**
   * Dismisses a dead delivery. A tool call that waits for it gets an error as its answer.
   * Idempotent.
   */
  @Transactional
  public DeadLetterAnswer dismiss(DeliveryId id) {
    store
        .find(id)
        .filter(found -> found.kind() == DeliveryKind.TOOL_RESULT)
        .ifPresent(found -> locks.lock(found.session()));
    return store
        .lock(id)
        .map(found -> dismiss(id, found))
        .orElseGet(DeadLetterAnswer.UnknownDelivery::new);
  }

  private DeadLetterAnswer dismiss(DeliveryId id, DeadLetterStore.FoundDelivery found) {
    return switch (found.state()) {
      case DEAD -> {
        if (found.kind() == DeliveryKind.TOOL_RESULT && found.task() != null) {
          tasks.find(found.task()).ifPresent(task -> answerCall(id, task));
        }
        store.dismiss(id);
        yield new DeadLetterAnswer.InRequestedState(found.session());
      }
      case SUPPRESSED -> new DeadLetterAnswer.InRequestedState(found.session());
      case PENDING, DELIVERED, CONSUMED -> new DeadLetterAnswer.NotDead(found.state());
    };
  }

  /** The stored answer may be the reason why the delivery failed, so the task is asked. */
  private void answerCall(DeliveryId id, Task task) {
    var call = task.parentCall();
    var endedAt = task.endedAt();
    if (call != null && endedAt != null) {
      var text = DISMISSED.formatted(task.id());
      var answer = new InboxEntry.ToolAnswer(call, text, true, endedAt);
      inboxes.deliver(task.parent(), InboxDelivery.DeliveredEntry.of(id.value(), answer));
    }
  }
}
