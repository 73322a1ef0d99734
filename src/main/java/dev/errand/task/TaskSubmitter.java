package dev.errand.task;

import dev.errand.auth.Audit;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackStore;
import dev.errand.session.InboxEntry;
import dev.errand.session.Lease;
import dev.errand.session.Mailbox;
import dev.errand.session.NewSession;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.worktree.Worktrees;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Commits a delegation: child session, its inbox, the task and the job in one transaction
 * (architecture, rule 1).
 */
@ApplicationScoped
public class TaskSubmitter {

  private final SessionStore sessions;
  private final Mailbox mailbox;
  private final TaskStore tasks;
  private final DeferredTasks deferred;
  private final ChildQueue queue;
  private final TreeLimits limits;
  private final IdempotencyStore keys;
  private final TaskPlanner planner;
  private final TaskMetrics metrics;
  private final TaskEvents events;
  private final CallbackStore callbacks;
  private final Audit audit;
  private final Worktrees worktrees;
  private final TransactionSynchronizationRegistry transactions;

  TaskSubmitter(
      SessionStore sessions,
      Mailbox mailbox,
      TaskStore tasks,
      DeferredTasks deferred,
      ChildQueue queue,
      TreeLimits limits,
      IdempotencyStore keys,
      TaskPlanner planner,
      TaskMetrics metrics,
      TaskEvents events,
      CallbackStore callbacks,
      Audit audit,
      Worktrees worktrees,
      TransactionSynchronizationRegistry transactions) {
    this.sessions = sessions;
    this.mailbox = mailbox;
    this.tasks = tasks;
    this.deferred = deferred;
    this.queue = queue;
    this.limits = limits;
    this.keys = keys;
    this.planner = planner;
    this.metrics = metrics;
    this.events = events;
    this.callbacks = callbacks;
    this.audit = audit;
    this.worktrees = worktrees;
    this.transactions = transactions;
  }

  /**
   * Delegates. Idempotent: the same tool call, or the same idempotency key and request, returns the
   * first task.
   *
   * @throws dev.errand.session.LeaseLost the run of this tool call no longer owns the parent
   */
  @Transactional
  public SubmitResult submit(TaskSubmission submission) {
    var result = repeated(submission).orElseGet(() -> submitNew(submission));
    if (result instanceof SubmitResult.Refused) {
      transactions.setRollbackOnly();
    }
    return result;
  }

  private SubmitResult submitNew(TaskSubmission submission) {
    if (submission.parent() instanceof TaskSubmission.Parent.NewRoot root) {
      sessions.create(root.session());
    }
    var parent = keepParent(submission);
    if (parent.isEmpty()) {
      return SubmitResult.Refused.unknownParent(submission.parent().id());
    }
    return switch (planner.plan(parent.get(), submission)) {
      case TaskPlanner.Plan.Refused refused -> refused.refusal();
      case TaskPlanner.Plan.Ready ready -> commit(submission, parent.get(), ready);
    };
  }

  private Optional<Session> keepParent(TaskSubmission submission) {
    return submission.call() == null
        ? sessions.keep(submission.parent().id())
        : Optional.of(
            sessions.keep(new Lease(submission.parent().id(), submission.call().epoch())));
  }

  /** The first task of a submission that is a repetition. */
  Optional<SubmitResult> repeated(TaskSubmission submission) {
    if (submission.call() != null) {
      return tasks.madeBy(submission.parent().id(), submission.call().key()).map(this::again);
    }
    return submission.key() == null ? Optional.empty() : usedKey(submission.key());
  }

  private Optional<SubmitResult> usedKey(IdempotencyKey key) {
    return keys.find(key)
        .map(use -> {
          var task = use.made().task();
          return task != null && use.bodySha256().equals(key.bodySha256())
              ? again(tasks.find(task).orElseThrow())
              : new SubmitResult.Refused(
                  SubmitResult.Reason.KEY_REUSED,
                  "Idempotency-Key",
                  "was used before for another request; use a new key");
        });
  }

  private SubmitResult commit(
      TaskSubmission submission, Session parent, TaskPlanner.Plan.Ready plan) {
    var copy = submission.copy();
    var id = copy == null ? TaskId.next() : copy.task();
    if (submission.key() != null && !keys.take(submission.key(), IdempotencyKey.Made.task(id))) {
      transactions.setRollbackOnly();
      return usedKey(submission.key()).orElseThrow();
    }
    var queued = submission.queuesForChild() && plan.continued().filter(this::isBusy).isPresent();
    var call = submission.call() == null ? null : submission.call().key();
    var byClient = call == null || parent.kind() == SessionKind.EXTERNAL;
    var generation = byClient ? 0 : parent.generation();
    var child =
        plan.continued()
            .map(known -> queued ? known.id() : resumeChild(known, generation, plan))
            .orElseGet(() -> create(parent, generation, plan, copy));
    var callback = submission.callback();
    var row =
        new NewTask(
            id,
            parent.id(),
            parent.root(),
            child,
            call,
            generation,
            callback == null ? Set.of() : callback.events(),
            submission.holdNoticeFor());
    if (queued) {
      tasks.insertQueued(row, plan.spec());
    } else if (!tasks.insert(row, plan.spec())) {
      return new SubmitResult.Refused(
          SubmitResult.Reason.BUSY,
          "session_id",
          "the child session was just given another task; wait for its end or cancel it");
    }
    var verdict = limits.take(id, parent, plan.spec(), byClient);
    if (verdict instanceof TreeLimits.Verdict.Refused refused) {
      return refused.refusal();
    }
    if (!queued && !deliver(child, plan.spec(), verdict)) {
      return new SubmitResult.Refused(
          SubmitResult.Reason.BUSY, "session_id", "the child session is busy, or was just closed");
    }
    if (callback != null) {
      callbacks.add(id, callback.callback());
    }
    metrics.accepted(plan.spec());
    var task = tasks.find(id).orElseThrow();
    TaskLog.accepted(task);
    events.created(task, parent);
    if (call == null) {
      audit.recordIfKnown("task.submit", parent.id(), id);
    }
    var before = queued ? queue.ahead(id) : 0;
    return new SubmitResult.Accepted(task, Math.max(verdict.behind(), before));
  }

  private boolean deliver(SessionId child, TaskSpec spec, TreeLimits.Verdict verdict) {
    var message = new InboxEntry.UserMessage(Thoroughness.in(spec.prompt(), spec.thoroughness()));
    return verdict instanceof TreeLimits.Verdict.Held
        ? mailbox.hold(child, MessageId.next(), message)
        : mailbox
            .send(child, MessageId.next(), message)
            .filter(state -> state != SessionState.CLOSED)
            .isPresent();
  }

  private SubmitResult again(Task task) {
    return new SubmitResult.Accepted(
        task, Math.max(deferred.queuedBehind(task.id()), queue.ahead(task.id())));
  }

  private boolean isBusy(Session known) {
    return queue.isBusy(known.id());
  }

  private SessionId resumeChild(Session known, int generation, TaskPlanner.Plan.Ready plan) {
    sessions.adjust(known.id(), plan.child().model(), plan.child().maxTurns(), generation);
    return known.id();
  }

  private SessionId create(
      Session parent,
      int generation,
      TaskPlanner.Plan.Ready plan,
      Worktrees.@Nullable Prepared copy) {
    var child = NewSession.childOf(parent, generation, plan.child());
    sessions.create(child);
    if (copy != null) {
      worktrees.keep(copy, child.id());
    }
    return child.id();
  }
}
