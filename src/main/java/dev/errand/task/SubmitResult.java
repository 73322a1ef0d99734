package dev.errand.task;

/** What became of a wish to delegate. */
public sealed interface SubmitResult {

  /**
   * Committed, now or – when the submission is a repetition – before.
   *
   * @param queuedBehind how many running siblings keep it from starting; 0 when none do
   */
  record Accepted(Task task, int queuedBehind) implements SubmitResult {}

  /** Nothing was changed. */
  record Refused(Reason reason, String field, String message) implements SubmitResult {

    /** The refusal as one sentence. */
    public String sentence() {
      return field.isEmpty() ? message : field + ": " + message;
    }
  }

  /** Why a submission was refused. */
  enum Reason {
    /** A field is wrong. */
    INVALID,
    /** There is no such parent. */
    UNKNOWN_PARENT,
    /** The session to continue has a live task (D5). */
    BUSY,
    /** The idempotency key was used for another request. */
    KEY_REUSED,
    /** A limit allows no more of it, now or later (R8). */
    LIMIT,
    /** A limit allows no more of it now; later it may (R8). */
    FULL
  }
}
