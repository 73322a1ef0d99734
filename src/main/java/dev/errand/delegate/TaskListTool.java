package dev.errand.delegate;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.postgres.Json;
import dev.errand.task.Task;
import dev.errand.task.TaskList;
import dev.errand.task.TaskState;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tool {@code task_list}: the caller's own tasks, one JSON object per line, newest first. */
@Singleton
class TaskListTool implements UninterruptibleTool {

  private static final int MOST = 50;

  private final TaskList tasks;
  private final Json json;

  TaskListTool(TaskList tasks, Json json) {
    this.tasks = tasks;
    this.json = json;
  }

  /** One task. One component per field of a line. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Line(
      String taskId,
      String sessionId,
      String subagentType,
      String description,
      @Nullable String label,
      String state,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {

    static Line of(Task task) {
      return new Line(
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

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "task_list",
        "List tasks",
        "Lists the tasks that you delegated, newest first, at most %d.".formatted(MOST),
        ParameterSchema.object()
            .enumeration("state", "Only tasks in this state.", states())
            .build());
  }

  private static List<String> states() {
    return Arrays.stream(TaskState.values()).map(TaskState::word).toList();
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var state = arguments.has("state") ? TaskState.of(arguments.get("state").asText()) : null;
    var found = tasks.delegatedBy(context.session(), state, MOST + 1);
    if (found.isEmpty()) {
      return ToolOutcome.ok("There is no such task.");
    }
    var lines =
        found.stream()
            .limit(MOST)
            .map(task -> json.write(Line.of(task)))
            .collect(Collectors.joining("\n"));
    return ToolOutcome.ok(
        found.size() > MOST
            ? lines + "\n(These are the newest %d; there are more.)".formatted(MOST)
            : lines);
  }
}
