package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The tasks of a parent or a tree. */
@Singleton
public class TaskList {

  private static final String DELEGATED =
      """
      select task.*, outbox.state as delivery_state,
             (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) as changes
      from task left join outbox on outbox.task_id = task.id
      where parent_session_id = :parent and (:state::text is null or task.state = :state)
      order by task.id desc
      limit :limit
      """;

  private static final String OF_OWNER =
      """
      select task.*, outbox.state as delivery_state,
             (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) as changes
      from task
        join session root on root.id = task.parent_session_id and root.parent_id is null
        left join outbox on outbox.task_id = task.id
      where task.tenant = :tenant and root.kind = 'external' and root.owner is not distinct from :owner
        and (:state::text is null or task.state = :state)
      order by task.id desc
      limit :limit
      """;

  private final Jdbi jdbi;
  private final TaskMapper mapper = new TaskMapper();

  TaskList(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Returns the prompts of the tasks in a tree that a client submitted, not a model. The prompt of
   * a command about a skill contains more than the client's words.
   */
  public List<String> promptsOfClients(SessionId root) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select prompt from task
                where root_session_id = :root and parent_tool_call_id is null
                  and (command is null or command not like 'task:skill:%')
                """)
            .bind("root", root)
            .mapTo(String.class)
            .list());
  }

  /**
   * Returns the tasks that a session delegated, the newest first.
   *
   * @param state null means any
   * @param limit how many are returned at most
   */
  public List<Task> delegatedBy(SessionId parent, @Nullable TaskState state, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(DELEGATED)
            .bind("parent", parent)
            .bind("state", state)
            .bind("limit", limit)
            .map(mapper)
            .list());
  }

  /**
   * Returns the tasks that the external root sessions of a client delegated, the newest first.
   *
   * @param owner null without authentication
   * @param state null means any
   * @param limit how many are returned at most
   */
  public List<Task> ofOwner(
      String tenant, @Nullable String owner, @Nullable TaskState state, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(OF_OWNER)
            .bind("tenant", tenant)
            .bind("owner", owner)
            .bind("state", state)
            .bind("limit", limit)
            .map(mapper)
            .list());
  }
}
