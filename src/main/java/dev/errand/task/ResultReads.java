package dev.errand.task;

import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.Set;

/**
 * What reading a result means for its notice (D4). The owner that reads by its tool needs no notice
 * any more; one that was delivered stays so. A reader outside consumes for an external parent only,
 * whose reader it is taken for: it must never swallow what a hosted parent waits for. The answer to
 * a tool call is never consumed.
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

  /** The parent's own agent reads the task as it stands here. */
  public void byOwner(Task task) {
    if (task.delivery().filter(found -> found.state() == DeliveryState.PENDING).isPresent()) {
      outbox.consume(task.id());
    }
  }

  /**
   * Somebody outside reads the task as it stands here.
   *
   * @return the task as it stands then
   */
  public Task fromOutside(Task task) {
    var unread = task.delivery().filter(found -> UNREAD.contains(found.state())).isPresent();
    return unread && outbox.consumeOutside(task.id()) ? tasks.find(task.id()).orElse(task) : task;
  }
}
