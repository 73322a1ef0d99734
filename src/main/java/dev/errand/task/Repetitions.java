package dev.errand.task;

import jakarta.inject.Singleton;
import java.util.Optional;

/** Finds the earlier submission that a submission repeats, and returns its result. */
@Singleton
class Repetitions {

  private final TaskStore tasks;
  private final IdempotencyStore keys;
  private final Siblings siblings;
  private final ChildQueue queue;

  Repetitions(TaskStore tasks, IdempotencyStore keys, Siblings siblings, ChildQueue queue) {
    this.tasks = tasks;
    this.keys = keys;
    this.siblings = siblings;
    this.queue = queue;
  }

  /** The result of the submission that this one repeats; empty when it repeats none. */
  Optional<SubmitResult> first(TaskSubmission submission) {
    return submission.call() == null && submission.key() != null
        ? ofKey(submission.key())
        : ofCall(submission);
  }

  /** The task that the same tool call made, if any. */
  Optional<SubmitResult> ofCall(TaskSubmission submission) {
    return submission.call() == null
        ? Optional.empty()
        : tasks.madeBy(submission.parent().id(), submission.call().key()).map(this::again);
  }

  /** The task that was made with a key; a refusal when that was another request. */
  Optional<SubmitResult> ofKey(IdempotencyKey key) {
    return keys.find(key)
        .map(use -> {
          var task = use.made().task();
          return task != null && use.bodySha256().equals(key.bodySha256())
              ? again(tasks.find(task).orElseThrow())
              : new SubmitResult.Refused(
                  SubmitResult.Reason.KEY_REUSED,
                  "Idempotency-Key",
                  "was used before for another request; use a new key");
        });
  }

  private SubmitResult again(Task task) {
    return new SubmitResult.Accepted(
        task, Math.max(siblings.before(task.id()), queue.ahead(task.id())));
  }
}
