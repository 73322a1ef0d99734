package dev.errand.task;

import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
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

  /** Returns the result of the submission that this one repeats; empty when it repeats none. */
  Optional<SubmitResult> first(TaskSubmission submission) {
    return switch (submission.caller()) {
      case TaskCaller.ParentCall _ -> ofCall(submission);
      case TaskCaller.Client(var key, _, _) -> key == null ? Optional.empty() : ofKey(key);
    };
  }

  /** Returns the task that the same tool call made, if any. */
  Optional<SubmitResult> ofCall(TaskSubmission submission) {
    return submission.caller() instanceof TaskCaller.ParentCall(var call, _)
        ? tasks.madeBy(submission.parent().id(), call).map(this::again)
        : Optional.empty();
  }

  /**
   * Takes the key of a submission for the task that it makes.
   *
   * @return the result of the submission that had the key first; empty when this one has it now, or
   *     has no key
   */
  @Transactional(TxType.MANDATORY)
  Optional<SubmitResult> beforeMaking(TaskId task, TaskSubmission submission) {
    return submission.caller() instanceof TaskCaller.Client(var key, _, _)
            && key != null
            && !keys.take(key, KeyedResult.task(task))
        ? Optional.of(ofKey(key).orElseThrow())
        : Optional.empty();
  }

  /** Returns the task that was made with a key; a refusal when that was another request. */
  Optional<SubmitResult> ofKey(IdempotencyKey key) {
    return keys.find(key)
        .map(use -> {
          var task = use.made().task();
          return task != null && use.bodySha256().equals(key.bodySha256())
              ? again(tasks.find(task).orElseThrow())
              : new SubmitResult.Refused(
                  SubmitResult.RefusalReason.KEY_REUSED,
                  "Idempotency-Key",
                  "was used before for another request; use a new key");
        });
  }

  private SubmitResult again(Task task) {
    return new SubmitResult.Accepted(
        task, Math.max(siblings.before(task.id()), queue.ahead(task.id())), true);
  }
}
