package dev.errand.task;

import dev.errand.conversation.SessionId;

/** The result of a submission. */
public sealed interface SubmitResult {

  /**
   * Committed, by this submission or by the one that it repeats.
   *
   * @param queuedBehind the number of running siblings that the task waits for; 0 when it does not
   *     wait
   */
  record Accepted(Task task, int queuedBehind) implements SubmitResult {}

  /** Nothing was changed. */
  record Refused(Reason reason, String field, String message) implements SubmitResult {

    public static Refused unknownParent(SessionId id) {
      return new Refused(Reason.UNKNOWN_PARENT, "parent_session_id", "there is no session " + id);
    }

    /** The refusal as one sentence. */
    public String sentence() {
      return field.isEmpty() ? message : field + ": " + message;
    }
  }

  /** Why a submission was refused. */
  enum Reason {
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
    FULL
  }
}
