package dev.errand.task;

import dev.errand.conversation.MessageId;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.NewChildren;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
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

  private final Slots slots;
  private final SlotQueue waiting;
  private final NewChildren children;
  private final Waits waits;
  private final Mailbox mailbox;

  FirstRuns(Slots slots, SlotQueue waiting, NewChildren children, Waits waits, Mailbox mailbox) {
    this.slots = slots;
    this.waiting = waiting;
    this.children = children;
    this.waits = waits;
    this.mailbox = mailbox;
  }

  /** Returns the first message of a task to its child. */
  static InboxEntry.UserMessage message(String prompt, @Nullable Thoroughness asked) {
    return new InboxEntry.UserMessage(Thoroughness.in(prompt, asked));
  }

  /**
   * Takes a slot for a task of this transaction, which has created or locked its child. When there
   * is none, the child waits for one.
   */
  @Transactional(TxType.MANDATORY)
  boolean takeSlot(Task task) {
    var taken = slots.take(task.tenant());
    if (!taken) {
      waiting.enter(task);
      slots.waits(task.tenant());
    }
    return taken;
  }

  /** Makes the child of a task wait for the limit of its parent. */
  @Transactional(TxType.MANDATORY)
  void waitForLimit(Task task) {
    waits.enter(task.child(), WaitReason.LIMIT, WaitOrder.of(task.priority(), task.createdAt()));
  }

  /**
   * Begins the task of a child that this transaction creates.
   *
   * @param waitsForLimit whether its parent has no room for it yet
   */
  @Transactional(TxType.MANDATORY)
  void begin(Task task, NewChildren.CreatedChild child, boolean waitsForLimit) {
    if (waitsForLimit) {
      waitForLimit(task);
    } else if (takeSlot(task)) {
      children.enqueue(child);
    }
  }

  /** The answer whether an existing child has got a task. */
  enum ContinueOutcome {
    GIVEN,
    /** It is busy or closed; nothing was changed. */
    NOT_IDLE
  }

  /**
   * Gives a task to a child that exists: only to an idle one, because the run of a client's message
   * would take the prompt as a part of its conversation, and the task would never begin.
   *
   * @param waitsForLimit whether its parent has no room for it yet
   */
  @Transactional(TxType.MANDATORY)
  ContinueOutcome continueWith(Task task, boolean waitsForLimit) {
    var prompt = message(task.prompt(), task.thoroughness());
    if (!mailbox.putToIdle(task.child(), MessageId.next(), prompt)) {
      return ContinueOutcome.NOT_IDLE;
    }
    if (waitsForLimit) {
      waitForLimit(task);
    } else if (takeSlot(task)) {
      mailbox.wake(task.child());
    }
    return ContinueOutcome.GIVEN;
  }
}
