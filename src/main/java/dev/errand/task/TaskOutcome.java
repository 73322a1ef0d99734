package dev.errand.task;

import org.jspecify.annotations.Nullable;

/**
 * The end of a task.
 *
 * @param result the child's last message; its last words when the task did not complete; all that
 *     it had said when it gave no answer; may be empty
 * @param error why the task did not complete; null when it did
 * @param partial whether the turn limit, the token limit, the provider or the time-out ended the
 *     task early, or the child gave no answer
 */
public record TaskOutcome(
    TaskState state, StopReason stopReason, String result, @Nullable Error error, boolean partial) {

  private static final Error NO_ANSWER =
      new Error(
          StopReason.NO_ANSWER.word(),
          "the subagent ended without an answer, also when it was asked for it; its result is what it"
              + " said before");

  /**
   * The reason of a failure.
   *
   * @param code a word for programs
   * @param message a sentence for people and models
   */
  public record Error(String code, String message) {

    /** The code of a task whose tree has no tokens or no money left. */
    static final String BUDGET_EXHAUSTED = "budget_exhausted";
  }

  /**
   * Returns the outcome of a task whose child answered; its answer is whole if it ended its turn by
   * itself.
   */
  public static TaskOutcome completed(String result, StopReason reason) {
    return new TaskOutcome(
        TaskState.COMPLETED, reason, result, null, reason != StopReason.END_TURN);
  }

  public static TaskOutcome failed(Error error, String saidSoFar) {
    var reason = error.code().equals(Error.BUDGET_EXHAUSTED) ? StopReason.BUDGET : StopReason.ERROR;
    return new TaskOutcome(TaskState.FAILED, reason, saidSoFar, error, !saidSoFar.isEmpty());
  }

  static TaskOutcome cancelled(String saidSoFar) {
    var error = new Error("cancelled", "the task was cancelled");
    return new TaskOutcome(
        TaskState.CANCELLED, StopReason.CANCELLED, saidSoFar, error, !saidSoFar.isEmpty());
  }

  /**
   * @param problem what kept the task from ending, as the end of a sentence; may be empty
   */
  static TaskOutcome timedOut(long timeoutMs, String problem, String saidSoFar) {
    var error =
        new Error("timed_out", "the task did not end within timeout_ms = " + timeoutMs + problem);
    return new TaskOutcome(
        TaskState.TIMED_OUT, StopReason.TIMEOUT, saidSoFar, error, !saidSoFar.isEmpty());
  }

  /**
   * Returns why the task is no success; null when it is one. A task without an answer has
   * completed.
   */
  public @Nullable Error problem() {
    return stopReason == StopReason.NO_ANSWER ? NO_ANSWER : error;
  }

  /** Returns the word by which metrics and notices name the end. */
  public String word() {
    return stopReason == StopReason.NO_ANSWER ? stopReason.word() : state.word();
  }
}
