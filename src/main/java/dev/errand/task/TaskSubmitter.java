package dev.errand.task;

import dev.errand.auth.Audit;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackStore;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.Pipeline;
import dev.errand.session.Lease;
import dev.errand.session.NewChildren;
import dev.errand.session.NewSession;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import dev.errand.task.FirstRuns.Child;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/**
 * Commits a delegation: child session, its inbox, the task and the job in one transaction
 * (architecture, rule 1).
 */
@Singleton
public class TaskSubmitter {

  private final SessionStore sessions;
  private final NewChildren children;
  private final FirstRuns firstRuns;
  private final TaskInserts tasks;
  private final Repetitions repetitions;
  private final ChildQueue queue;
  private final TreeLimits limits;
  private final IdempotencyStore keys;
  private final TaskPlanner planner;
  private final TaskMetrics metrics;
  private final TaskEvents events;
  private final CallbackStore callbacks;
  private final AfterCommit afterCommit;
  private final Audit audit;
  private final Worktrees worktrees;
  private final TransactionSynchronizationRegistry transactions;
  private final Jdbi jdbi;

  TaskSubmitter(
      SessionStore sessions,
      NewChildren children,
      FirstRuns firstRuns,
      TaskInserts tasks,
      Repetitions repetitions,
      ChildQueue queue,
      TreeLimits limits,
      IdempotencyStore keys,
      TaskPlanner planner,
      TaskMetrics metrics,
      TaskEvents events,
      CallbackStore callbacks,
      AfterCommit afterCommit,
      Audit audit,
      Worktrees worktrees,
      TransactionSynchronizationRegistry transactions,
      Jdbi jdbi) {
    this.sessions = sessions;
    this.children = children;
    this.firstRuns = firstRuns;
    this.tasks = tasks;
    this.repetitions = repetitions;
    this.queue = queue;
    this.limits = limits;
    this.keys = keys;
    this.planner = planner;
    this.metrics = metrics;
    this.events = events;
    this.callbacks = callbacks;
    this.afterCommit = afterCommit;
    this.audit = audit;
    this.worktrees = worktrees;
    this.transactions = transactions;
    this.jdbi = jdbi;
  }

  /**
   * Delegates. Idempotent: the same tool call, or the same idempotency key and request, returns the
   * first task. Unique keys of the database detect a repetition, so that a new task needs no
   * look-up.
   *
   * @throws dev.errand.session.LeaseLost the run of this tool call no longer owns the parent
   */
  @Transactional
  public SubmitResult submit(TaskSubmission submission) {
    var copy = submission.copy();
    var id = copy == null ? TaskId.next() : copy.task();
    var result = submit(submission, id);
    if (!(result instanceof SubmitResult.Accepted(var task, _) && task.id().equals(id))) {
      transactions.setRollbackOnly();
    }
    return result;
  }

  private SubmitResult submit(TaskSubmission submission, TaskId id) {
    var parent = parent(submission);
    if (parent.isEmpty()) {
      return repetitions
          .first(submission)
          .orElseGet(() -> SubmitResult.Refused.unknownParent(submission.parent().id()));
    }
    if (submission.key() != null && !keys.take(submission.key(), IdempotencyKey.Made.task(id))) {
      return repetitions.ofKey(submission.key()).orElseThrow();
    }
    return switch (planner.plan(parent.get(), submission)) {
      case TaskPlanner.Plan.Refused refused ->
          repetitions.ofCall(submission).orElse(refused.refusal());
      case TaskPlanner.Plan.Ready ready -> commit(submission, id, parent.get(), ready);
    };
  }

  private Optional<Session> parent(TaskSubmission submission) {
    if (submission.parent() instanceof TaskSubmission.Parent.NewRoot root) {
      return Optional.of(sessions.create(root.session()));
    }
    return submission.call() == null
        ? sessions.keep(submission.parent().id())
        : Optional.of(
            sessions.keep(new Lease(submission.parent().id(), submission.call().epoch())));
  }

  private SubmitResult commit(
      TaskSubmission submission, TaskId id, Session parent, TaskPlanner.Plan.Ready plan) {
    var spec = plan.spec();
    var call = submission.call() == null ? null : submission.call().key();
    var byClient = call == null || parent.kind() == SessionKind.EXTERNAL;
    var generation = byClient ? 0 : parent.generation();
    var callback = submission.callback();
    var pipeline = new Pipeline();
    var child = child(pipeline, submission, parent, generation, plan);
    var row =
        new NewTask(
            id,
            parent.tenant(),
            parent.id(),
            parent.root(),
            child.id(),
            child.isBusy(),
            call,
            generation,
            callback == null ? Set.of() : callback.events(),
            submission.holdNoticeFor());
    var insertion = tasks.insert(pipeline, row, spec);
    if (call == null) {
      audit.recordIfKnown("task.submit", parent.id(), id);
    }
    pipeline.execute(jdbi);
    var inserted = insertion.one();
    var createdAt = inserted.createdAt();
    if (createdAt == null) {
      return repetitions
          .ofCall(submission)
          .orElseGet(() ->
              busy("the child session was just given another task; wait for its end or cancel it"));
    }
    if (parent.isHostedChild() && !inserted.parentWorks()) {
      return SubmitResult.Refused.endedParent(parent.id());
    }
    var task = row.pending(spec, createdAt);
    if (submission.copy() != null && child.created() != null) {
      worktrees.keep(submission.copy(), child.id());
    }
    if (callback != null) {
      callbacks.add(id, callback.callback());
    }
    metrics.accepted(spec);
    events.created(task, parent);
    var verdict = limits.take(task, parent, byClient, inserted);
    if (verdict instanceof TreeLimits.Verdict.Refused refused) {
      return refused.refusal();
    }
    var isHeld = verdict instanceof TreeLimits.Verdict.Held;
    if (isNotNext(submission, child)) {
      return busy(
          "other tasks are queued for the child session; wait for their end or cancel them");
    }
    if (!firstRuns.begin(task, child, isHeld)) {
      return busy("the child session is busy, or was just closed");
    }
    afterCommit.run(() -> TaskLog.accepted(task));
    return new SubmitResult.Accepted(
        task, Math.max(verdict.behind(), child.isBusy() ? queue.ahead(id) : 0));
  }

  /** A child that is free gets the tasks that are queued for it first. */
  private boolean isNotNext(TaskSubmission submission, Child child) {
    return child.created() == null
        && !submission.queuesForChild()
        && !queue.waitingFor(child.id()).isEmpty();
  }

  private static SubmitResult busy(String message) {
    return new SubmitResult.Refused(SubmitResult.Reason.BUSY, "session_id", message);
  }

  private Child child(
      Pipeline pipeline,
      TaskSubmission submission,
      Session parent,
      int generation,
      TaskPlanner.Plan.Ready plan) {
    if (plan.continued().isEmpty()) {
      var prompt = FirstRuns.message(plan.spec().prompt(), plan.spec().thoroughness());
      var session = NewSession.childOf(parent, generation, plan.child());
      var created = children.create(pipeline, session, prompt);
      return new Child(created.id(), created, false);
    }
    var known = plan.continued().get().id();
    if (submission.queuesForChild() && queue.isBusy(known)) {
      return new Child(known, null, true);
    }
    sessions.adjust(known, plan.child().model(), plan.child().maxTurns(), generation);
    return new Child(known, null, false);
  }
}
