package dev.errand.run;

import dev.errand.session.Session;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The workspaces that runs need: allowed, and checked out if they are copies. */
@Singleton
class RunWorkspaces {

  private final WorkspaceRoots roots;
  private final Worktrees worktrees;

  RunWorkspaces(WorkspaceRoots roots, Worktrees worktrees) {
    this.roots = roots;
    this.worktrees = worktrees;
  }

  /** Returns whether the workspace of a session may have to be checked out. */
  boolean isCopy(Session session) {
    return worktrees.isTree(session.workspace());
  }

  /**
   * Makes the workspace of a session ready.
   *
   * @return why a run cannot use it; empty if it can
   */
  Optional<LoopEnd> open(Session session, Run run) {
    if (isCopy(session)) {
      var problem =
          switch (worktrees.open(session.workspace(), run::interruptibly)) {
            case Worktrees.OpenedCopy.Ready _ -> Optional.<LoopEnd>empty();
            case Worktrees.OpenedCopy.CopyLost _ ->
                failed(
                    FailureCode.WORKSPACE_LOST,
                    "the node that runs the session does not see the folder of its worktree",
                    false);
            case Worktrees.OpenedCopy.OpenFailed failed ->
                failed(
                    FailureCode.WORKSPACE_FAILED,
                    "the worktree could not be checked out: " + failed.why(),
                    true);
          };
      if (problem.isPresent()) {
        return problem;
      }
    }
    return roots
        .problem(session.workspace(), session.tenant())
        .flatMap(why ->
            failed(
                FailureCode.WORKSPACE_NOT_ALLOWED, "the workspace of the session " + why, false));
  }

  private static Optional<LoopEnd> failed(FailureCode code, String message, boolean mayPass) {
    return Optional.of(new LoopEnd.Failed(code, message, mayPass));
  }
}
