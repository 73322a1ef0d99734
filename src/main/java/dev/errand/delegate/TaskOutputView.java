package dev.errand.delegate;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.errand.conversation.UntrustedText;
import dev.errand.task.Task;
import dev.errand.task.TaskChanges;
import dev.errand.task.TaskOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The result of a task as the tool {@code task_output} returns it.
 *
 * @param agentId the child's session id
 * @param result null while the task runs, when it has no text, and when it was deleted
 * @param redacted true when the result was deleted after the parent received it, otherwise left out
 * @param changes what a task with {@code isolation: worktree} changed; left out for other tasks
 */
public record TaskOutputView(
    String agentId,
    @Nullable String result,
    boolean isRunning,
    TaskOutcome.@Nullable Error error,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean redacted,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TaskChanges changes) {

  public static TaskOutputView of(Task task) {
    var outcome = task.outcome();
    return new TaskOutputView(
        task.child().toString(),
        outcome.map(TaskOutcome::result).filter(text -> !text.isEmpty()).orElse(null),
        outcome.isEmpty(),
        outcome.map(TaskOutcome::problem).orElse(null),
        task.redacted() ? true : null,
        task.changes());
  }

  /** Returns this view with the words of the child quoted as data, for its parent's model. */
  TaskOutputView quoted() {
    return new TaskOutputView(
        agentId,
        result == null ? null : UntrustedText.quoted(result),
        isRunning,
        error == null
            ? null
            : new TaskOutcome.Error(error.code(), UntrustedText.quoted(error.message())),
        redacted,
        changes == null ? null : changes.quoted());
  }
}
