package dev.errand.task;

import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.NoticeStore;
import dev.errand.session.Lease;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionLocks;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.EnumSet;
import java.util.Set;

/**
 * A result that was read is not announced: a pending notice is not sent, and one that waits unread
 * in the parent's inbox is withdrawn in the transaction that settles its outbox row (architecture,
 * rule 17). Looking at a result does not count as reading it. The answer to a tool call is not
 * consumed while the call waits for it. In an external session a delivered answer has ended its
 * call, and can be acknowledged like a notice.
 */
@Singleton
public class ResultReads {

  private static final Set<DeliveryState> UNREAD =
      EnumSet.of(DeliveryState.PENDING, DeliveryState.DELIVERED, DeliveryState.DEAD);

  private final TaskStore tasks;
  private final NoticeStore notices;
  private final SessionLocks locks;
  private final Mailbox mailbox;

  ResultReads(TaskStore tasks, NoticeStore notices, SessionLocks locks, Mailbox mailbox) {
    this.tasks = tasks;
    this.notices = notices;
    this.locks = locks;
    this.mailbox = mailbox;
  }

  /**
   * Consumes the notice of a task whose result the parent's agent reads with its tool.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the parent: what it has read will
   *     be lost, so the notice stays
   */
  @Transactional
  public void byOwner(Task task, Lease lease) {
    if (isUnread(task)) {
      locks.lock(lease);
      consume(task);
    }
  }

  /**
   * Marks the result of this task as read. Idempotent; no effect on a task that is live or whose
   * notice a turn has read.
   *
   * @return whether the notice is consumed by this call
   */
  @Transactional
  public boolean consume(Task task) {
    return notices.consumeUndelivered(task.id()) || consumeDelivered(task);
  }

  /**
   * Releases the notice of a task because the caller that waited for the result has left without
   * it: the notice is due at once, or as soon as the task ends. Idempotent.
   */
  @Transactional
  public void release(TaskId task) {
    // In this order: a concurrent end either sees the change, or has committed its outbox row.
    tasks.releaseNotice(task);
    notices.release(task);
  }

  /** Locks the session before the row; a pending row is settled without the session. */
  private boolean consumeDelivered(Task task) {
    locks.lock(task.parent());
    return notices
        .lockDelivered(task.id())
        .filter(notice -> notices.consumeDelivered(notice, mailbox.withdraw(notice)))
        .isPresent();
  }

  private static boolean isUnread(Task task) {
    return task.delivery().filter(UNREAD::contains).isPresent();
  }
}
