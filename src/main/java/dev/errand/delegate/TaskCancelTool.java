package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.task.TaskStopper;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;

/** The tool {@code task_cancel}: ends a task of the caller and everything below it. */
@Singleton
class TaskCancelTool implements UninterruptibleTool {

  private final OwnTasks own;
  private final TaskStopper stopper;

  TaskCancelTool(OwnTasks own, TaskStopper stopper) {
    this.own = own;
    this.stopper = stopper;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "task_cancel",
        "Cancel task",
        "Cancels one of your tasks and everything that it delegated. A task that has ended is not"
            + " changed.",
        OwnTasks.schema().build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var id = arguments.get("task_id").asText();
    return own.find(context.session(), id)
        .flatMap(task -> stopper.cancelOwn(task.id()))
        .map(task -> ToolOutcome.ok("The task is " + task.state().word() + "."))
        .orElseGet(() -> ToolOutcome.error(OwnTasks.unknown(id)));
  }
}
