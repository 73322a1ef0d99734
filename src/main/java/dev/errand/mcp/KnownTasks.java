package dev.errand.mcp;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import dev.errand.task.ClientTasks;
import dev.errand.task.Task;
import dev.errand.task.TaskStore;
import dev.errand.view.Visibility;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The tasks of the current caller. The task of another caller is unknown. */
@Singleton
class KnownTasks {

  private static final Pattern UUID_FORM =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final TaskStore tasks;
  private final SessionStore sessions;
  private final Visibility visibility;
  private final ClientTasks clients;

  KnownTasks(TaskStore tasks, SessionStore sessions, Visibility visibility, ClientTasks clients) {
    this.tasks = tasks;
    this.sessions = sessions;
    this.visibility = visibility;
    this.clients = clients;
  }

  /**
   * Finds a task in one statement, once this node knows whose session delegated it.
   *
   * @param id {@code task_…} or a dashed UUID
   */
  Optional<Task> find(String id) {
    return TaskId.parse(id).or(() -> fromUuid(id)).flatMap(tasks::find).filter(this::isOfCaller);
  }

  /** Finds a task by its id or by that of the session that works on it. */
  Optional<Task> findNamed(String id) {
    return find(id).or(() -> SessionId.parse(id).flatMap(tasks::latestOf).filter(this::isOfCaller));
  }

  private boolean isOfCaller(Task task) {
    return visibility.includes(task.parent());
  }

  private static Optional<TaskId> fromUuid(String id) {
    return UUID_FORM.matcher(id).matches()
        ? Optional.of(new TaskId(UUID.fromString(id)))
        : Optional.empty();
  }

  /** Returns the task as it is now; empty when it was deleted. */
  Optional<Task> again(Task task) {
    return tasks.find(task.id());
  }

  /**
   * Consumes the notice of a task whose result the client has. A parent whose loop runs here reads
   * its results itself.
   */
  void received(Task ended) {
    sessions
        .find(ended.parent())
        .filter(parent -> parent.kind() == SessionKind.EXTERNAL)
        .ifPresent(_ -> clients.received(ended));
  }
}
