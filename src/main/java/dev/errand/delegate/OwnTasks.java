package dev.errand.delegate;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.task.Task;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskStore;
import dev.errand.tool.ParameterSchema;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Finds a session's own tasks. A task of another session is treated like one that does not exist.
 */
@Singleton
class OwnTasks {

  private final TaskStore tasks;

  OwnTasks(TaskStore tasks) {
    this.tasks = tasks;
  }

  static ParameterSchema schema() {
    return ParameterSchema.object()
        .string("task_id", "The task's id, or its child's session id.")
        .maxLength(TaskSchema.MAX_NAME)
        .required();
  }

  /**
   * @param id a task's id, or the session id of its child
   */
  Optional<Task> find(SessionId owner, String id) {
    return TaskId.parse(id)
        .flatMap(tasks::find)
        .or(() -> SessionId.parse(id).flatMap(tasks::latestOf))
        .filter(task -> task.parent().equals(owner));
  }

  static String unknown(String id) {
    return "task_id: there is no task '" + id + "' of this session; task ids start with task_";
  }
}
