package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds a session's children by the names under which it may continue them. */
@Singleton
class OwnChildren {

  /** How many children an error names, and among how many of the latest tasks they are found. */
  private static final int MAX_NAMED = 5;

  private static final int MAX_LISTED_TASKS = 50;

  private final SessionStore sessions;
  private final TaskStore tasks;
  private final TaskList list;

  OwnChildren(SessionStore sessions, TaskStore tasks, TaskList list) {
    this.sessions = sessions;
    this.tasks = tasks;
    this.list = list;
  }

  /**
   * @param id the session id of the child, or the id of one of its tasks
   */
  Optional<Session> find(SessionId parent, String id) {
    return SessionId.parse(id)
        .or(() -> TaskId.parse(id).flatMap(tasks::find).map(task -> task.child()))
        .flatMap(sessions::find)
        .filter(session -> parent.equals(session.parent()));
  }

  /**
   * Why there is no such child. The id of the parent itself is answered with the latest children.
   */
  String whyUnknown(SessionId parent, String id) {
    if (!id.equals(parent.toString())) {
      return "there is no child session '" + id + "' of this session";
    }
    var children =
        list.delegatedBy(parent, null, MAX_LISTED_TASKS).stream()
            .map(Task::child)
            .distinct()
            .limit(MAX_NAMED)
            .map(SessionId::toString)
            .collect(Collectors.joining(", "));
    return "'%s' is the session that delegates; name the child to continue: %s"
        .formatted(id, children.isEmpty() ? "it has none yet" : children);
  }
}
