package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Word;
import dev.errand.task.TaskList;
import dev.errand.task.TaskState;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.util.List;

/** The tool {@code task_list}: the caller's own tasks, one JSON object per line, newest first. */
@Singleton
class TaskListTool implements UninterruptibleTool {

  private final TaskList tasks;
  private final TaskLines lines;

  TaskListTool(TaskList tasks, TaskLines lines) {
    this.tasks = tasks;
    this.lines = lines;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "task_list",
        "List tasks",
        "Lists the tasks that you delegated, newest first, at most %d.".formatted(TaskLines.MOST),
        ParameterSchema.object()
            .enumeration("state", "Only tasks in this state.", states())
            .build());
  }

  private static List<String> states() {
    return Word.words(TaskState.class);
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var state =
        arguments.has("state") ? Word.of(TaskState.class, arguments.get("state").asText()) : null;
    var found = tasks.delegatedBy(context.session(), state, TaskLines.MOST + 1);
    return ToolOutcome.ok(lines.of(found));
  }
}
