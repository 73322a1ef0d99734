package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.tool.FieldProblem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of a submission. */
public sealed interface SubmitResult {

  /** Returns whether this submission made a task; otherwise it changed nothing. */
  default boolean isNew() {
    return this instanceof Accepted accepted && !accepted.repeats();
  }

  /**
   * The task is committed.
   *
   * @param queuedBehind the number of running siblings that the task waits for; 0 when it does not
   *     wait
   * @param repeats whether an earlier submission, which this one repeats, made the task
   */
  record Accepted(Task task, int queuedBehind, boolean repeats) implements SubmitResult {}

  /**
   * The task was refused, and nothing was changed.
   *
   * @param quota that is used up; null for another reason
   */
  record Refused(RefusalReason reason, String field, String message, @Nullable UsedUpQuota quota)
      implements SubmitResult, Planning, TreeLimits.TreeVerdict {

    Refused(RefusalReason reason, String field, String message) {
      this(reason, field, message, null);
    }

    static Refused invalid(String field, String message) {
      return new Refused(RefusalReason.INVALID, field, message);
    }

    static Refused invalid(FieldProblem problem) {
      return invalid(problem.field(), problem.message());
    }

    /** Returns the refusal of a task for a child that works on another task. */
    static Refused busy(String message) {
      return new Refused(RefusalReason.BUSY, "session_id", message);
    }

    /** Returns the refusal of a task that a quota allows later. */
    public static Refused full(UsedUpQuota quota, String message) {
      return new Refused(RefusalReason.FULL, "", message, quota);
    }

    public static Refused unknownParent(SessionId id) {
      return new Refused(
          RefusalReason.UNKNOWN_PARENT, "parent_session_id", "there is no session " + id);
    }

    /**
     * Returns the refusal of a task whose parent is closed, or is a child whose own task has ended.
     */
    static Refused endedParent(SessionId id) {
      return invalid(
          "parent_session_id",
          id + " is a child session whose own task has ended; the result could not be delivered");
    }

    /** Returns this refusal for a request in which another field is the cause. */
    public Refused in(String otherField) {
      return new Refused(reason, otherField, message, quota);
    }

    /** Returns the refusal as one sentence. */
    public String sentence() {
      return field.isEmpty() ? message : field + ": " + message;
    }
  }

  /**
   * A number that is used up for now.
   *
   * @param name of the limit, as clients know it
   * @param retryAfter trying earlier is useless, as far as is known
   */
  record UsedUpQuota(String name, Duration retryAfter) {}

  /** The reason why a submission was refused. */
  enum RefusalReason {
    /** A field is wrong. */
    INVALID,
    /** The parent does not exist. */
    UNKNOWN_PARENT,
    /** The session to continue has a live task. */
    BUSY,
    /** The idempotency key was used for another request. */
    KEY_REUSED,
    /** A limit does not allow the task. */
    LIMIT,
    /** A limit does not allow the task now, but may later. */
    FULL,
    /** This node is busy; it may accept the task in a moment. */
    NODE_BUSY
  }
}
