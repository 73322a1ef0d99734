package dev.errand.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.session.Lease;
import dev.errand.session.TodoStore;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** The tool {@code todowrite}: replaces the session's todo list. */
@Singleton
class TodoWriteTool implements UninterruptibleTool {

  private static final int MAX_ENTRIES = 200;
  private static final int MAX_CONTENT_CHARS = 500;

  private final TodoStore todos;

  TodoWriteTool(TodoStore todos) {
    this.todos = todos;
  }

  @Override
  public ToolDefinition definition() {
    var item =
        ParameterSchema.object()
            .string("content", "What is to be done.")
            .maxLength(MAX_CONTENT_CHARS)
            .required()
            .enumeration("status", "The status.", List.of("pending", "in_progress", "completed"))
            .required();
    return new ToolDefinition(
        "todowrite",
        "Write to-do list",
        "Replaces your todo list. Keep one for work of several steps, with one step in progress at"
            + " a time.",
        ParameterSchema.object()
            .objects("todos", "The whole list, in order.", item)
            .maxItems(MAX_ENTRIES)
            .required()
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var list = new ArrayList<TodoStore.Todo>();
    for (var item : arguments.get("todos")) {
      list.add(new TodoStore.Todo(item.get("content").asText(), item.get("status").asText()));
    }
    todos.replace(new Lease(context.session(), context.epoch()), list);
    return ToolOutcome.ok("The list has " + list.size() + " entries now.");
  }
}
