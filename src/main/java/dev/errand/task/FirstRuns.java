package dev.errand.task;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.NewChildren;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jspecify.annotations.Nullable;

/**
 * Begins the first run of a task when its parent has room and a slot is free. Otherwise the child
 * waits without a job: for its parent's limit, or for a slot.
 */
@Singleton
class FirstRuns {

  /** Why a child waits, as its event says it. */
  private static final String LIMIT = "limit";

  private static final String SLOT = "slot";

  private final Slots slots;
  private final WaitingTasks waiting;
  private final NewChildren children;
  private final Mailbox mailbox;

  FirstRuns(Slots slots, WaitingTasks waiting, NewChildren children, Mailbox mailbox) {
    this.slots = slots;
    this.waiting = waiting;
    this.children = children;
    this.mailbox = mailbox;
  }

  /**
   * The child that works on a task.
   *
   * @param created null when an existing child is continued
   * @param isBusy whether the task is queued for it
   */
  record Child(SessionId id, NewChildren.@Nullable Created created, boolean isBusy) {}

  /** The first message of a task to its child. */
  static InboxEntry.UserMessage message(String prompt, @Nullable Thoroughness asked) {
    return new InboxEntry.UserMessage(Thoroughness.in(prompt, asked));
  }

  /** Takes a slot for a task of this transaction; when there is none, the task waits for one. */
  @Transactional(TxType.MANDATORY)
  boolean takeSlot(TaskId task, String tenant) {
    var taken = slots.take(tenant);
    if (!taken) {
      waiting.enter(task);
      slots.waits(tenant);
    }
    return taken;
  }

  /**
   * Gives a task to its child.
   *
   * @param isHeld whether the task waits for its parent's limit
   * @return false when the child is busy or closed
   */
  @Transactional(TxType.MANDATORY)
  boolean begin(Task task, Child child, String tenant, boolean isHeld) {
    if (child.isBusy()) {
      return true;
    }
    var reason = isHeld ? LIMIT : takeSlot(task.id(), tenant) ? null : SLOT;
    var created = child.created();
    if (created == null) {
      return deliver(task, reason);
    }
    if (reason == null) {
      children.enqueue(created);
    } else {
      children.hold(created, reason);
    }
    return true;
  }

  /**
   * Only to an idle child: the run of a client's message would take the prompt as a part of its
   * conversation, and the task would never begin.
   *
   * @param reason why the child waits; null when it runs
   */
  private boolean deliver(Task task, @Nullable String reason) {
    var prompt = message(task.prompt(), task.thoroughness());
    return reason != null
        ? mailbox.hold(task.child(), MessageId.next(), prompt, reason)
        : mailbox.sendToIdle(task.child(), MessageId.next(), prompt);
  }
}
