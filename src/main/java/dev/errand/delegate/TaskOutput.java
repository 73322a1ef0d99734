package dev.errand.delegate;

import dev.errand.task.Ending;
import dev.errand.task.Task;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of a task's result gets (D4).
 *
 * @param agentId the child session's id
 * @param result null while it runs, and when it said nothing
 */
public record TaskOutput(
    String agentId, @Nullable String result, boolean isRunning, Ending.@Nullable Error error) {

  public static TaskOutput of(Task task) {
    var ending = task.ended().map(Task.Ended::ending);
    return new TaskOutput(
        task.kin().child().toString(),
        ending.map(Ending::result).filter(text -> !text.isEmpty()).orElse(null),
        ending.isEmpty(),
        ending.map(Ending::error).orElse(null));
  }
}
