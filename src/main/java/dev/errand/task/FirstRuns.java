package dev.errand.task;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Pipeline;
import dev.errand.session.InboxEntry;
import dev.errand.session.KeptWorker;
import dev.errand.session.Mailbox;
import dev.errand.session.NewChildren;
import dev.errand.session.NewSession;
import dev.errand.session.RunQueue;
import dev.errand.session.Session;
import dev.errand.session.TreeStore;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Objects;
import java.util.Optional;
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
  private final TaskClaims claims;
  private final RunQueue runQueue;
  private final Mailbox mailbox;

  FirstRuns(
      Slots slots,
      WaitingTasks waiting,
      NewChildren children,
      TaskClaims claims,
      RunQueue runQueue,
      Mailbox mailbox) {
    this.slots = slots;
    this.waiting = waiting;
    this.children = children;
    this.claims = claims;
    this.runQueue = runQueue;
    this.mailbox = mailbox;
  }

  /**
   * The child that works on a task.
   *
   * @param created null when an existing child is continued
   * @param isBusy whether the task is queued for it
   */
  record Child(SessionId id, NewChildren.@Nullable Created created, boolean isBusy) {

    /** Whether it runs from the beginning. */
    boolean isRunning() {
      return created != null && created.isRunning();
    }

    /** Called for a running child, when it is inserted. */
    NewChildren.Running running() {
      return Objects.requireNonNull(created).running();
    }
  }

  /** The first message of a task to its child. */
  static InboxEntry.UserMessage message(String prompt, @Nullable Thoroughness asked) {
    return new InboxEntry.UserMessage(Thoroughness.in(prompt, asked));
  }

  /**
   * Creates a child that runs from the beginning, if this node has a worker for it and a slot is
   * free; otherwise one that is queued. {@link #begin} follows the execution of the pipeline.
   *
   * @param mayRun whether the child has all that it needs to run
   */
  @Transactional(TxType.MANDATORY)
  NewChildren.Created create(
      Pipeline pipeline, NewSession child, InboxEntry.UserMessage prompt, boolean mayRun) {
    var worker = mayRun ? runQueue.keepWorker(child) : Optional.<KeptWorker>empty();
    if (worker.isPresent() && !slots.take(child.tenant())) {
      worker.get().free();
      worker = Optional.empty();
    }
    return worker
        .map(kept -> children.create(pipeline, child, prompt, kept))
        .orElseGet(() -> children.create(pipeline, child, prompt));
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
   * Enqueues the job of a new child if a slot is free, so that this is not done under the lock of
   * the tree. {@link #begin} follows.
   */
  @Transactional(TxType.MANDATORY)
  boolean enqueued(Child child, String tenant) {
    var created = child.created();
    if (created == null || !slots.take(tenant)) {
      return false;
    }
    children.enqueue(created);
    return true;
  }

  /**
   * Begins the first attempt of a task whose child runs from the beginning.
   *
   * @param parent of the task
   */
  @Transactional(TxType.MANDATORY)
  void begin(Task task, NewChildren.Running child, Session parent, TreeStore.Tree tree) {
    children.running(child);
    claims.started(task, parent.origin());
    children.begin(child, task.id(), tree);
  }

  /**
   * Gives a task to its child.
   *
   * @param isEnqueued whether the child has its job
   * @param isHeld whether the task waits for its parent's limit
   * @return false when the child is busy or closed
   */
  @Transactional(TxType.MANDATORY)
  boolean begin(Task task, Child child, String tenant, boolean isEnqueued, boolean isHeld) {
    if (child.isBusy()) {
      return true;
    }
    var mayRun = !isHeld && (isEnqueued || takeSlot(task.id(), tenant));
    var reason = mayRun ? null : isHeld ? LIMIT : SLOT;
    var created = child.created();
    if (created == null) {
      return deliver(task, reason);
    }
    if (reason != null) {
      children.hold(created, reason);
      if (child.isRunning()) {
        slots.ended(tenant);
      }
    } else {
      if (!isEnqueued) {
        children.enqueue(created);
      }
      children.queued(created);
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
