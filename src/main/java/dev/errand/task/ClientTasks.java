package dev.errand.task;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/**
 * Submits the tasks of clients, waits for their results, and settles the results that clients got.
 * Every door uses it.
 */
@Singleton
public class ClientTasks {

  private final Delegations delegations;
  private final TaskStore tasks;
  private final TaskWaiters waiters;
  private final ResultReads reads;

  ClientTasks(Delegations delegations, TaskStore tasks, TaskWaiters waiters, ResultReads reads) {
    this.delegations = delegations;
    this.tasks = tasks;
    this.waiters = waiters;
    this.reads = reads;
  }

  /** The answer to a client whose task was accepted. */
  public sealed interface TaskAnswer {

    /** A background task: its result comes later. */
    record ComesLater(SubmitResult.Accepted accepted) implements TaskAnswer {}

    /** The wait for a foreground task has ended first; its notice is not kept any longer. */
    record StillRunning(Task task) implements TaskAnswer {}

    /**
     * The task has ended. Its notice is kept until the client has {@link #received} the result or
     * has {@link #left}.
     */
    record EndedInTime(Task task) implements TaskAnswer {}

    /** The task was deleted during the wait. */
    record Deleted() implements TaskAnswer {}
  }

  /**
   * Submits a task. Idempotent: the same idempotency key and request returns the first task.
   *
   * @throws RequestTurns.NoTurnException the service is busy; nothing was done
   */
  public SubmitResult submit(TaskSubmission submission) {
    return delegations.submit(submission);
  }

  /**
   * Returns the result of the submission that was accepted with this key, without another one;
   * empty when the key is new or expired. The caller has checked that the client may see the
   * session that delegates.
   */
  public Optional<SubmitResult> repeated(IdempotencyKey key) {
    return delegations.repeated(key);
  }

  /** Waits for the end of a foreground task. Uses no connection while it waits. */
  public TaskAnswer await(SubmitResult.Accepted accepted, Duration limit) {
    var task = accepted.task();
    if (task.background()) {
      return new TaskAnswer.ComesLater(accepted);
    }
    TaskAnswer answer = new TaskAnswer.Deleted();
    try {
      waiters.awaitEnd(task.id(), limit);
      answer = tasks.find(task.id()).map(ClientTasks::answer).orElse(answer);
      return answer;
    } finally {
      if (!(answer instanceof TaskAnswer.EndedInTime)) {
        reads.release(task.id());
      }
    }
  }

  private static TaskAnswer answer(Task now) {
    return now.outcome().isPresent()
        ? new TaskAnswer.EndedInTime(now)
        : new TaskAnswer.StillRunning(now);
  }

  /** Marks the result of this task as received by the client, so its notice is not sent. */
  public void received(Task ended) {
    reads.consume(ended);
  }

  /** Makes the notice of this task due, because the client has left without the result. */
  public void left(Task ended) {
    reads.release(ended.id());
  }
}
