package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * The task table: look-ups of tasks, and the changes that belong to no other step. The inserts are
 * in {@link TaskInserts}, the starts in {@link TaskClaims}, the ends in {@link TaskEnds}.
 */
@Singleton
public class TaskStore {

  /**
   * Clients poll running tasks: a task without an end has no delivery and no change to look for.
   */
  private static final String FIND =
      """
      select task.*,
             case when ended_at is not null then (select state from outbox where task_id = task.id) end as delivery_state,
             case when ended_at is not null then (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) end as changes
      from task where task.id = :id
      """;

  private static final String LATEST =
      """
      select task.*, outbox.state as delivery_state,
             (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) as changes
      from task left join outbox on outbox.task_id = task.id
      where task.session_id = :id order by task.created_at desc limit 1
      """;

  private static final String LATEST_BY_COMMAND =
      """
      select task.*, outbox.state as delivery_state,
             (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) as changes
      from task left join outbox on outbox.task_id = task.id
      where parent_session_id = :parent and starts_with(task.command, :prefix)
        and split_part(task.subagent_type, '/', -1) = :agent
        and exists (select 1 from session child where child.id in (task.session_id, task.queued_for) and child.state <> 'closed')
      order by task.created_at desc, task.id desc limit 1
      """;

  private static final String MADE_BY =
      """
      select task.*, outbox.state as delivery_state,
             (select to_jsonb(change) from (
                select files, insertions, deletions, truncated, unavailable, notes
                from worktree_change where task_id = task.id) change) as changes
      from task left join outbox on outbox.task_id = task.id
      where parent_session_id = :parent and parent_tool_call_id = :call
      """;

  /** A live task has no delivery and no change. */
  private static final String LOCK_LIVE =
      """
      select task.*, null::text as delivery_state, null::text as changes from task
      where session_id = :id and state in ('pending', 'running') for no key update
      """;

  private final Jdbi jdbi;
  private final TaskMapper mapper = new TaskMapper();

  TaskStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public Optional<Task> find(TaskId id) {
    return one(FIND, id.value());
  }

  /** Returns the newest task of a child. */
  public Optional<Task> latestOf(SessionId child) {
    return one(LATEST, child.value());
  }

  /**
   * Returns the newest task that a session delegated to this agent, or to a private agent of this
   * name, by a command with this prefix, unless its child is closed. The command by itself does not
   * say who works on a task: callers fill it in freely.
   */
  public Optional<Task> latestByCommand(SessionId parent, String agent, String prefix) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LATEST_BY_COMMAND)
            .bind("parent", parent)
            .bind("agent", agent)
            .bind("prefix", prefix)
            .map(mapper)
            .findOne());
  }

  /** Returns the task that a tool call of the parent made, if any. */
  Optional<Task> madeBy(SessionId parent, String call) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(MADE_BY)
            .bind("parent", parent)
            .bind("call", call)
            .map(mapper)
            .findOne());
  }

  /** Returns the live task of a child, locked after the session; empty when there is none. */
  @Transactional(TxType.MANDATORY)
  public Optional<Task> lockLive(SessionId child) {
    return one(LOCK_LIVE, child.value());
  }

  /**
   * Returns the children that have a live task of this parent, including queued tasks. Those that
   * wait to start come first: when they are ended first, no end of another task lets them start.
   */
  List<SessionId> liveChildren(SessionId parent, Instant createdUntil) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select coalesce(session_id, queued_for) as child from task
                where parent_session_id = :parent and state in ('pending', 'running') and created_at <= :until
                group by child order by bool_or(started_at is not null), min(created_at)
                """)
            .bind("parent", parent)
            .bind("until", createdUntil)
            .mapTo(SessionId.class)
            .list());
  }

  /** Returns the time of the database, by which tasks are created. */
  Instant now() {
    return jdbi.withHandle(
        handle -> handle.createQuery("select clock_timestamp()").mapTo(Instant.class).one());
  }

  /** Returns whether a task has to wait for a run while its parent, a hosted session, uses one. */
  public boolean waitsForRun(TaskId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select exists (
                  select 1 from task
                    join session child on child.id = session_id
                    join session parent on parent.id = parent_session_id
                  where task.id = :id and task.state = 'pending' and child.waits_for = 'slot' and parent.kind = 'hosted')
                """)
            .bind("id", id)
            .mapTo(Boolean.class)
            .one());
  }

  /** Returns those of the tasks that have ended or were deleted. */
  Set<TaskId> ended(Set<TaskId> ids) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id from unnest(:ids) as asked (id)
                where not exists (select from task where task.id = asked.id and ended_at is null)
                """)
            .bindArray("ids", TaskId.class, ids)
            .mapTo(TaskId.class)
            .collect(Collectors.toSet()));
  }

  @Transactional(TxType.MANDATORY)
  void countTakeover(SessionId child) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update task set takeovers = takeovers + 1 where session_id = ? and state = 'running'",
            child));
  }

  /** Makes a running task wait for its next attempt. */
  @Transactional(TxType.MANDATORY)
  void retry(TaskId id) {
    jdbi.useHandle(handle ->
        handle.execute("update task set state = 'pending' where id = ? and state = 'running'", id));
  }

  /** Releases the notice of a task that was kept for a caller. Locks the task if it was. */
  @Transactional(TxType.MANDATORY)
  void releaseNotice(TaskId id) {
    jdbi.useHandle(handle ->
        handle.execute(
            """
            update task set hold_notice_until = null
            where id = ? and hold_notice_until > clock_timestamp()
            """,
            id));
  }

  private Optional<Task> one(String sql, UUID id) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).bind("id", id).map(mapper).findOne());
  }
}
