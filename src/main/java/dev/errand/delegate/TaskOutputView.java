package dev.errand.delegate;

import dev.errand.conversation.UntrustedText;
import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The result of a task as the tool {@code task_output} returns it.
 *
 * @param agentId the child's session id
 * @param result null while the task runs, and when it has no text
 */
public record TaskOutputView(
    String agentId, @Nullable String result, boolean isRunning, TaskOutcome.@Nullable Error error) {

  public static TaskOutputView of(Task task) {
    var outcome = task.outcome();
    return new TaskOutputView(
        task.child().toString(),
        outcome.map(TaskOutcome::result).filter(text -> !text.isEmpty()).orElse(null),
        outcome.isEmpty(),
        outcome.map(TaskOutcome::error).orElse(null));
  }

  /** The same with the words of the child quoted as data, for its parent's model. */
  TaskOutputView quoted() {
    return new TaskOutputView(
        agentId,
        result == null ? null : UntrustedText.quoted(result),
        isRunning,
        error == null
            ? null
            : new TaskOutcome.Error(error.code(), UntrustedText.quoted(error.message())));
  }
}
