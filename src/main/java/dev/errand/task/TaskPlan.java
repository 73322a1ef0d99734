package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Rights;
import dev.errand.session.NewSession;
import dev.errand.session.Session;
import dev.errand.session.SessionSpec;
import dev.errand.worktree.Worktrees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as decided: what was asked for, and everything that the request leaves open.
 *
 * @param parent the session that delegates, kept by the transaction
 * @param timeoutMs milliseconds from the first start
 * @param isolation where the child works
 * @param notes what the caller should know about how the request was understood
 * @param rights of the child, as the task keeps them
 */
record TaskPlan(
    TaskSubmission submission,
    Session parent,
    Child child,
    long timeoutMs,
    Isolation isolation,
    List<String> notes,
    Rights rights)
    implements Planning {

  TaskRequest request() {
    return submission.request();
  }

  boolean isByClient() {
    return submission.isByClient(parent);
  }

  int generation() {
    return submission.generation(parent);
  }

  /** The session that works on the task. */
  sealed interface Child {

    SessionId id();

    /** Returns what its runs for this task are made of. */
    SessionSpec spec();

    /**
     * A session that is created with the task.
     *
     * @param copy that it works in; null when it shares the workspace of its parent
     */
    record New(NewSession session, Worktrees.@Nullable PreparedCopy copy) implements Child {

      @Override
      public SessionId id() {
        return session.id();
      }

      @Override
      public SessionSpec spec() {
        return session.spec();
      }
    }

    /** A child at rest and without a task, locked by the transaction. */
    record Continued(SessionId id, SessionSpec spec) implements Child {}

    /** A child that works on something else, locked by the transaction: the task is queued. */
    record Busy(SessionId id, SessionSpec spec) implements Child {}
  }
}
