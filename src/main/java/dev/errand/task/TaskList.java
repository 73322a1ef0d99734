package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The tasks of one parent, as its own agent sees them. */
@ApplicationScoped
public class TaskList {

  private static final String DELEGATED =
      TaskMapper.SELECT
          + """
          where parent_session_id = :parent and (:state::text is null or task.state = :state)
          order by task.id desc
          limit :limit
          """;

  private final Jdbi jdbi;
  private final TaskMapper mapper = new TaskMapper();

  TaskList(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The tasks that a session delegated, the newest first.
   *
   * @param state null means any
   * @param limit how many are returned at most
   */
  public List<Task> delegatedBy(SessionId parent, @Nullable TaskState state, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DELEGATED)
            .bind("parent", parent.value())
            .bind("state", state == null ? null : state.word())
            .bind("limit", limit)
            .map(mapper)
            .list());
  }
}
