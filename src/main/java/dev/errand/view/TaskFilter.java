package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.task.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks a list shows; null and empty mean any.
 *
 * @param parents the delegating sessions
 * @param words each of them is part of the description or the label
 */
public record TaskFilter(
    List<SessionId> parents,
    @Nullable SessionId root,
    List<TaskState> states,
    @Nullable String subagentType,
    @Nullable String label,
    @Nullable String words,
    Period created) {

  /** All tasks that these sessions delegated. */
  public static TaskFilter delegatedBy(List<SessionId> parents) {
    return new TaskFilter(parents, null, List.of(), null, null, null, new Period(null, null));
  }
}
