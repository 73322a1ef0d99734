package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.Isolation;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.worktree.WorktreeRefused;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Accepts tasks. When the child is to work in a copy of its parent's workspace, the copy is
 * recorded before the transaction, so that nothing waits for it.
 */
@Singleton
public class Delegations {

  /** A client repeats its request; a model's call waits until its copy is made. */
  private static final Duration PATIENCE_OF_REQUESTS = Duration.ofSeconds(10);

  private final TaskSubmitter submitter;
  private final RequestTurns turns;
  private final Repetitions repetitions;
  private final Agents agents;
  private final SessionStore sessions;
  private final Worktrees worktrees;

  Delegations(
      TaskSubmitter submitter,
      RequestTurns turns,
      Repetitions repetitions,
      Agents agents,
      SessionStore sessions,
      Worktrees worktrees) {
    this.submitter = submitter;
    this.turns = turns;
    this.repetitions = repetitions;
    this.agents = agents;
    this.sessions = sessions;
    this.worktrees = worktrees;
  }

  /**
   * Submits a task. Idempotent: the same tool call, or the same idempotency key and request,
   * returns the first task.
   *
   * @throws dev.errand.session.LeaseLost the run of this tool call no longer owns the parent
   * @throws RequestTurns.NoTurnException the turn of a request did not come in time
   */
  public SubmitResult submit(TaskSubmission submission) {
    var workspace = needsCopy(submission) ? workspace(submission.parent()) : Optional.<Path>empty();
    return workspace.isEmpty()
        ? commit(submission, null)
        : repetitions.first(submission).orElseGet(() -> submit(submission, workspace.get()));
  }

  private SubmitResult submit(TaskSubmission submission, Path workspace) {
    Optional<Worktrees.PreparedCopy> prepared;
    try {
      prepared =
          worktrees.prepare(
              workspace,
              submission.caller() instanceof TaskCaller.Client ? PATIENCE_OF_REQUESTS : null);
    } catch (WorktreeRefused refused) {
      return SubmitResult.Refused.invalid(
          "isolation", "worktree is not possible: the workspace " + refused.why());
    }
    return prepared
        .map(copy -> commitWith(copy, submission))
        .orElseGet(() ->
            new SubmitResult.Refused(
                SubmitResult.RefusalReason.NODE_BUSY, "", "too many workspaces are being copied"));
  }

  private SubmitResult commitWith(Worktrees.PreparedCopy copy, TaskSubmission submission) {
    // After an exception the task may exist: the copy is deleted later if it does not.
    var result = commit(submission, copy);
    if (!result.isNew()) {
      worktrees.discard(copy);
    }
    return result;
  }

  /** Requests take turns, except for commands of the skill agent, which are in a transaction. */
  private SubmitResult commit(TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy) {
    return submission.caller() instanceof TaskCaller.Client && !submission.queuesForChild()
        ? turns.take(() -> submitter.submit(submission, copy))
        : submitter.submit(submission, copy);
  }

  /**
   * Returns the result of the submission that was accepted with this key, without another one;
   * empty when the key is new or expired. The caller has checked that the client may see the
   * session that delegates.
   */
  public Optional<SubmitResult> repeated(IdempotencyKey key) {
    return repetitions.ofKey(key);
  }

  /** Commands of the skill agent are submitted in a transaction, which must not wait for a copy. */
  private boolean needsCopy(TaskSubmission submission) {
    var request = submission.request();
    if (request.sessionId() != null || submission.queuesForChild()) {
      return false;
    }
    return request.isolation() == Isolation.WORKTREE
        || (request.isolation() == null && isIsolated(request, submission.parent()));
  }

  /** Returns whether the agent's definition asks for a copy. Most services have no such agent. */
  private boolean isIsolated(TaskRequest request, TaskSubmission.Parent parent) {
    Predicate<AgentDefinition> isIsolated =
        agent -> agent.terms().isolation() == Isolation.WORKTREE;
    var wanted = Objects.requireNonNullElse(request.subagentType(), AgentDefinition.GENERAL);
    return agents.mayHave(isIsolated) && found(wanted, parent).filter(isIsolated).isPresent();
  }

  private Optional<AgentDefinition> found(String wanted, TaskSubmission.Parent parent) {
    return switch (parent) {
      case TaskSubmission.Parent.NewRoot(var root) ->
          agents.of(root.tenant()).find(wanted, root.spec().agent());
      case TaskSubmission.Parent.Existing(var known) ->
          sessions
              .find(known)
              .flatMap(session -> agents.of(session.tenant()).find(wanted, session.agent()));
    };
  }

  private Optional<Path> workspace(TaskSubmission.Parent parent) {
    return switch (parent) {
      case TaskSubmission.Parent.NewRoot root -> Optional.of(root.session().spec().workspace());
      case TaskSubmission.Parent.Existing known ->
          sessions.find(known.id()).map(Session::workspace);
    };
  }
}
