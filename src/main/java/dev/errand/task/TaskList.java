package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Tasks page by page, the newest first (O1). */
@ApplicationScoped
public class TaskList {

  private static final String PAGE =
      TaskMapper.SELECT
          + """
          where task.tenant = 'default'
            and (:parent::uuid is null or parent_session_id = :parent)
            and (:root::uuid is null or root_session_id = :root)
            and (:state::text is null or task.state = :state)
            and (:agent::text is null or subagent_type = :agent)
            and (:before::uuid is null or task.id < :before)
          order by task.id desc
          limit :limit
          """;

  private final Jdbi jdbi;
  private final TaskMapper mapper = new TaskMapper();

  TaskList(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Which tasks a page shows; null means any. */
  public record Filter(
      @Nullable SessionId parent,
      @Nullable SessionId root,
      @Nullable TaskState state,
      @Nullable String agent) {}

  /** The newest first, at most {@code limit}, older than {@code before} when that is given. */
  public List<Task> page(Filter filter, @Nullable TaskId before, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(PAGE)
            .bind("parent", filter.parent() == null ? null : filter.parent().value())
            .bind("root", filter.root() == null ? null : filter.root().value())
            .bind("state", filter.state() == null ? null : filter.state().word())
            .bind("agent", filter.agent())
            .bind("before", before == null ? null : before.value())
            .bind("limit", limit)
            .map(mapper)
            .list());
  }

  /**
   * What these sessions delegated, the newest first, at most {@code limit}, older than {@code
   * before}.
   */
  public List<Task> delegatedBy(List<SessionId> parents, @Nullable TaskId before, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                TaskMapper.SELECT
                    + """
                    where parent_session_id = any(:parents) and (:before::uuid is null or task.id < :before)
                    order by task.id desc limit :limit
                    """)
            .bindArray("parents", UUID.class, parents.stream().map(SessionId::value).toList())
            .bind("before", before == null ? null : before.value())
            .bind("limit", limit)
            .map(mapper)
            .list());
  }
}
