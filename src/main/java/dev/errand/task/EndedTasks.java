package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Tasks that have ended: which of them, and of their sessions, may be cleaned up or deleted. */
@ApplicationScoped
public class EndedTasks {

  /**
   * A hosted parent has a result when it is delivered; an external parent without a callback only
   * when it has acknowledged it, or some time after the end. The session's latest task decides, and
   * none of its results may still be owed.
   */
  private static final String TO_CLEAN =
      """
      select task.id, task.session_id
      from task
        join session child on child.id = task.session_id
        join session parent on parent.id = task.parent_session_id
      where task.cleanup = 'delete' and task.ended_at is not null and task.cleaned_at is null
        and child.state in ('idle', 'closed')
        and not exists (
          select 1 from task other left join outbox owed on owed.task_id = other.id and owed.state = 'pending'
          where (other.session_id = task.session_id or other.in_line_for = task.session_id)
            and (other.ended_at is null or owed.id is not null or other.created_at > task.created_at))
        and not exists (
          select 1 from task below where below.parent_session_id = child.id and below.ended_at is null)
        and (parent.kind = 'hosted' or task.ended_at < clock_timestamp() - :unreadMs * interval '1 millisecond' or exists (
          select 1 from outbox
          where outbox.task_id = task.id
            and (outbox.state in ('consumed', 'suppressed', 'dead')
              or (outbox.state = 'delivered' and outbox.target <> 'session'))))
      order by task.ended_at
      limit :limit
      """;

  /** Trees at rest for this long in which no delivery is pending or dead. */
  private static final String UNUSED_TREES =
      """
      select id from session root
      where parent_id is null and created_at < clock_timestamp() - :keepMs * interval '1 millisecond'
        and not exists (
          select 1 from session
          where root_id = root.id
            and (state not in ('idle', 'closed')
              or updated_at >= clock_timestamp() - :keepMs * interval '1 millisecond'))
        and not exists (
          select 1 from task left join outbox on task_id = task.id
          where root_session_id = root.id
            and (ended_at is null
              or ended_at >= clock_timestamp() - :keepMs * interval '1 millisecond'
              or outbox.state in ('pending', 'dead')))
        and not exists (
          select 1 from outbox
          where outbox.session_id = root.id and task_id is null and outbox.state in ('pending', 'dead'))
      order by created_at
      limit :batch
      """;

  private static final String OWED =
      """
      select exists (
        select 1 from task join outbox on outbox.task_id = task.id
        where task.session_id = :id and outbox.state = 'pending')
      """;

  private static final String DELETE =
      """
      with gone as (
        delete from task where session_id = :id or parent_session_id = :id returning id),
      keys as (
        delete from idempotency_key where task_id in (select id from gone)),
      own_keys as (
        delete from idempotency_key where session_id = :id)
      select count(*) from gone
      """;

  private final Jdbi jdbi;

  EndedTasks(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** An ended task whose child's transcript is to be deleted. */
  public record ToClean(TaskId task, SessionId child) {}

  /**
   * The tasks whose clean-up is due, the oldest end first.
   *
   * @param unread how long a result is kept for an external parent that does not acknowledge it
   */
  public List<ToClean> toClean(Duration unread, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(TO_CLEAN)
            .bind("unreadMs", unread.toMillis())
            .bind("limit", limit)
            .map((row, _) ->
                new ToClean(
                    new TaskId(row.getObject("id", UUID.class)),
                    new SessionId(row.getObject("session_id", UUID.class))))
            .list());
  }

  @Transactional
  public void markCleaned(TaskId task) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update task set cleaned_at = clock_timestamp() where id = ?", task.value()));
  }

  /** The roots of trees that were not used for {@code keep}, the oldest first. */
  public List<SessionId> unusedTrees(Duration keep, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(UNUSED_TREES)
            .bind("keepMs", keep.toMillis())
            .bind("batch", limit)
            .mapTo(UUID.class)
            .map(SessionId::new)
            .list());
  }

  /** Whether the result of one of the child's tasks is not delivered yet. */
  @Transactional(TxType.MANDATORY)
  public boolean isOwed(SessionId child) {
    return jdbi.withHandle(
        handle -> handle.createQuery(OWED).bind("id", child.value()).mapTo(Boolean.class).one());
  }

  /**
   * Deletes the tasks of and for a session, with their idempotency keys and those of the session.
   *
   * @return the number of deleted tasks
   */
  @Transactional(TxType.MANDATORY)
  public int deleteOf(SessionId session) {
    return jdbi.withHandle(handle ->
        handle.createQuery(DELETE).bind("id", session.value()).mapTo(Integer.class).one());
  }
}
