package dev.errand.task;

import dev.errand.conversation.TaskId;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.task.TaskInserts.Insertion;
import dev.errand.task.TaskPlan.Child;
import dev.errand.task.TaskSubmission.Parent;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Commits a delegation: child session, its inbox, the task and the job in one transaction
 * (architecture, rule 1).
 */
@Singleton
public class TaskSubmitter {

  private final SessionStore sessions;
  private final Repetitions repetitions;
  private final TaskPlanner planner;
  private final TaskInserts inserts;
  private final AcceptedTasks accepted;
  private final TreeLimits limits;
  private final FirstRuns firstRuns;
  private final ChildQueue queue;
  private final TransactionSynchronizationRegistry transactions;

  TaskSubmitter(
      SessionStore sessions,
      Repetitions repetitions,
      TaskPlanner planner,
      TaskInserts inserts,
      AcceptedTasks accepted,
      TreeLimits limits,
      FirstRuns firstRuns,
      ChildQueue queue,
      TransactionSynchronizationRegistry transactions) {
    this.sessions = sessions;
    this.repetitions = repetitions;
    this.planner = planner;
    this.inserts = inserts;
    this.accepted = accepted;
    this.limits = limits;
    this.firstRuns = firstRuns;
    this.queue = queue;
    this.transactions = transactions;
  }

  /**
   * Submits a task. Idempotent: the same tool call, or the same idempotency key and request,
   * returns the first task. Unique keys of the database detect a repetition, so that a new task
   * needs no look-up. A submission that makes no task is rolled back.
   *
   * @param copy that a new child works in; null when it shares the workspace of its parent
   * @throws dev.errand.session.LeaseLost the run of this tool call no longer owns the parent
   */
  @Transactional
  public SubmitResult submit(TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy) {
    var result = make(copy == null ? TaskId.next() : copy.task(), submission, copy);
    if (!result.isNew()) {
      transactions.setRollbackOnly();
    }
    return result;
  }

  private SubmitResult make(
      TaskId id, TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy) {
    var parent = parent(submission);
    if (parent.isEmpty()) {
      return repetitions
          .first(submission)
          .orElseGet(() -> SubmitResult.Refused.unknownParent(submission.parent().id()));
    }
    var first = repetitions.beforeMaking(id, submission);
    if (first.isPresent()) {
      return first.get();
    }
    return switch (planner.plan(parent.get(), submission, copy)) {
      case SubmitResult.Refused refused -> repetitions.ofCall(submission).orElse(refused);
      case TaskPlan plan -> insert(id, plan);
    };
  }

  private Optional<Session> parent(TaskSubmission submission) {
    return switch (submission.parent()) {
      case Parent.NewRoot(var root) -> Optional.of(sessions.create(root));
      case Parent.Existing(var id) ->
          submission.caller() instanceof TaskCaller.ParentCall call
              ? Optional.of(sessions.keep(new Lease(id, call.epoch())))
              : sessions.keep(id);
    };
  }

  private SubmitResult insert(TaskId id, TaskPlan plan) {
    return switch (inserts.insert(id, plan)) {
      case Insertion.Repeated _ -> repetitions.ofCall(plan.submission()).orElseThrow();
      case Insertion.Inserted inserted ->
          plan.parent().isHostedChild() && !inserted.parentWorks()
              ? SubmitResult.Refused.endedParent(plan.parent().id())
              : accept(plan, inserted);
    };
  }

  private SubmitResult accept(TaskPlan plan, Insertion.Inserted inserted) {
    accepted.record(plan, inserted.task());
    return switch (limits.take(plan, inserted)) {
      case SubmitResult.Refused refused -> refused;
      case TreeLimits.TreeVerdict.Admitted admitted -> begin(plan, inserted, admitted);
      case TreeLimits.TreeVerdict.MustWait waits -> begin(plan, inserted, waits);
    };
  }

  private SubmitResult begin(
      TaskPlan plan, Insertion.Inserted inserted, TreeLimits.TreeVerdict verdict) {
    var task = inserted.task();
    var waits = verdict instanceof TreeLimits.TreeVerdict.MustWait;
    return switch (plan.child()) {
      case Child.New _ -> {
        firstRuns.begin(task, Objects.requireNonNull(inserted.child()), waits);
        yield accepted(task, verdict.behind());
      }
      case Child.Continued _ ->
          switch (firstRuns.continueWith(task, waits)) {
            case GIVEN -> accepted(task, verdict.behind());
            case NOT_IDLE ->
                SubmitResult.Refused.busy("the child session is busy, or was just closed");
          };
      case Child.Busy _ -> accepted(task, Math.max(verdict.behind(), queue.ahead(task.id())));
    };
  }

  private static SubmitResult accepted(Task task, int queuedBehind) {
    return new SubmitResult.Accepted(task, queuedBehind, false);
  }
}
