package dev.errand.delegate;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.errand.postgres.Json;
import dev.errand.task.Task;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of a list of tasks: one JSON object per line. */
@Singleton
public class TaskLines {

  /** How many tasks a list has at most. */
  public static final int MOST = 50;

  private final Json json;

  TaskLines(Json json) {
    this.json = json;
  }

  /** A task. One component per field of a line. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record TaskLine(
      String taskId,
      String sessionId,
      String subagentType,
      String description,
      @Nullable String label,
      String state,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {

    static TaskLine of(Task task) {
      return new TaskLine(
          task.id().toString(),
          task.child().toString(),
          task.subagentType(),
          task.description(),
          task.label(),
          task.state().word(),
          task.createdAt(),
          task.startedAt(),
          task.endedAt());
    }
  }

  /**
   * Returns the lines of tasks.
   *
   * @param found the newest first; one more than {@link #MOST} when there are more
   */
  public String of(List<Task> found) {
    if (found.isEmpty()) {
      return "There is no such task.";
    }
    var lines =
        found.stream()
            .limit(MOST)
            .map(task -> json.write(TaskLine.of(task)))
            .collect(Collectors.joining("\n"));
    return found.size() > MOST
        ? lines + "\n(These are the newest %d; there are more.)".formatted(MOST)
        : lines;
  }
}
