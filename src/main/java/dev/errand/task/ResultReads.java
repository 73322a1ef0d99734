package dev.errand.task;

import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.Set;

/**
 * The effect of reading a result on its notice. When the parent's agent reads the result with its
 * tool, a pending notice is not sent; a delivered notice stays. A client that reads the result
 * consumes the notice of an external parent only, because a notice that a hosted parent waits for
 * must not be lost. The answer to a tool call is never consumed.
 */
@ApplicationScoped
public class ResultReads {

  private static final Set<DeliveryState> UNREAD =
      EnumSet.of(DeliveryState.PENDING, DeliveryState.DELIVERED);

  private final OutboxStore outbox;
  private final TaskStore tasks;

  ResultReads(OutboxStore outbox, TaskStore tasks) {
    this.outbox = outbox;
    this.tasks = tasks;
  }

  /** The parent's own agent reads the result of this task. */
  public void byOwner(Task task) {
    if (task.delivery().filter(found -> found.state() == DeliveryState.PENDING).isPresent()) {
      outbox.consume(task.id());
    }
  }

  /**
   * A client reads the result of this task.
   *
   * @return the task after that
   */
  public Task fromOutside(Task task) {
    var unread = task.delivery().filter(found -> UNREAD.contains(found.state())).isPresent();
    return unread && outbox.consumeOutside(task.id()) ? tasks.find(task.id()).orElse(task) : task;
  }
}
