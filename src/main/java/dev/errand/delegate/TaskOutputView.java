package dev.errand.delegate;

import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of a task's result gets (D4).
 *
 * @param agentId the child session's id
 * @param result null while it runs, and when it said nothing
 */
public record TaskOutputView(
    String agentId, @Nullable String result, boolean isRunning, TaskOutcome.@Nullable Error error) {

  public static TaskOutputView of(Task task) {
    var ending = task.outcome();
    return new TaskOutputView(
        task.child().toString(),
        ending.map(TaskOutcome::result).filter(text -> !text.isEmpty()).orElse(null),
        ending.isEmpty(),
        ending.map(TaskOutcome::error).orElse(null));
  }
}
