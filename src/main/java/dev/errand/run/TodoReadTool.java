package dev.errand.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.session.TodoStore;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.util.stream.Collectors;

/** The tool {@code todoread}: returns the session's todo list, one line per item. */
@Singleton
class TodoReadTool implements UninterruptibleTool {

  private final TodoStore todos;

  TodoReadTool(TodoStore todos) {
    this.todos = todos;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "todoread", "Read to-do list", "Reads your todo list.", ParameterSchema.object().build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var list =
        todos.list(context.session()).stream()
            .map(todo -> "[" + todo.status() + "] " + todo.content())
            .collect(Collectors.joining("\n"));
    return ToolOutcome.ok(list.isEmpty() ? "The list is empty." : list);
  }
}
