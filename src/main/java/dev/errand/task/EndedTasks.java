package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Finds the ended tasks, and their sessions, that may be cleaned up or deleted. */
@Singleton
public class EndedTasks {

  /**
   * A hosted parent has a result when it is delivered; an external parent without a callback only
   * when it has acknowledged it, or some time after the end. The session's latest task decides, and
   * none of its results may still be owed.
   */
  private static final String TO_CLEAN =
      """
      select task.id as task, task.session_id as child
      from task
        join session child on child.id = task.session_id
        join session parent on parent.id = task.parent_session_id
      where task.cleanup = 'delete' and task.ended_at is not null and task.cleaned_at is null
        and child.state in ('idle', 'closed')
        and not exists (
          select 1 from task other left join outbox owed on owed.task_id = other.id and owed.state = 'pending'
          where (other.session_id = task.session_id or other.queued_for = task.session_id)
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

  /**
   * Tasks whose transcripts are deleted and whose results were received: by a turn of a hosted
   * parent, by a callback, or by an acknowledgement; and what goes to the callbacks of the task and
   * of all tasks below it was posted. A dead delivery may still be retried, so it waits for the
   * retry or for its dismissal.
   */
  private static final String TO_REDACT =
      """
      select task.id as task, task.session_id as child from task
      where cleaned_at is not null and redacted_at is null
        and not exists (
          select 1 from outbox where callback_task_id = task.id and outbox.state in ('pending', 'dead'))
        and not exists (
          with recursive within as (
            select task.session_id as id
            union all
            select child.id from session child join within on child.parent_id = within.id)
          select 1 from within join task below on below.parent_session_id = within.id
            join outbox on callback_task_id = below.id and outbox.state in ('pending', 'dead'))
        and not exists (
          select 1 from outbox join session parent on parent.id = outbox.session_id
          where outbox.task_id = task.id
            and outbox.state not in ('consumed', 'suppressed')
            and not (outbox.state = 'delivered' and outbox.target = 'webhook')
            and not (outbox.state = 'delivered' and parent.kind = 'hosted' and not exists (
              select 1 from inbox where source_outbox_id = outbox.id and consumed_at is null)))
      order by cleaned_at
      limit :limit
      """;

  /**
   * The task itself at the end; before it earlier tasks of its child, whose results were followed
   * by the received one, and all tasks below it, whose receivers are closed. A later task of the
   * child is not among them, because its result may not be received yet.
   */
  private static final String REDACTABLE =
      """
      select task.id, parent_session_id as parent, kind_of.kind = 'external' as external, task.created_at
      from task join session kind_of on kind_of.id = parent_session_id
      where redacted_at is null and ended_at is not null
        and (task.id = :task or parent_session_id = any(:tree)
          or (task.session_id = :child and cleanup = 'delete'
            and task.created_at < (select created_at from task received where received.id = :task)
            and not exists (select 1 from outbox
              where (task_id = task.id or callback_task_id = task.id) and outbox.state in ('pending', 'dead'))))
      order by task.id = :task, task.id
      """;

  private static final String REDACT =
      """
      update task
      set description = '', prompt = '', label = null, command = null, result = null,
          error_message = case when error_message is not null then '' end,
          cleaned_at = coalesce(cleaned_at, clock_timestamp()), redacted_at = clock_timestamp()
      where id = :id
      """;

  private static final String CLEANED =
      """
      update task set cleaned_at = clock_timestamp()
      where id = :id or (session_id = :child and cleanup = 'delete' and ended_at is not null and cleaned_at is null)
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

  /** Tasks to clean or to redact, whether or not their results were received. */
  public static final String SOME_TO_CLEAN =
      """
      exists (select 1 from task where cleanup = 'delete' and ended_at is not null and cleaned_at is null)
      or exists (select 1 from task where cleaned_at is not null and redacted_at is null)
      """;

  private final Jdbi jdbi;

  EndedTasks(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** An ended task whose child's transcript is to be deleted. */
  public record CleanableTask(TaskId task, SessionId child) {}

  /**
   * Returns the tasks whose clean-up is due, the oldest end first.
   *
   * @param unread how long a result is kept for an external parent that does not acknowledge it
   */
  public List<CleanableTask> toClean(Duration unread, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(TO_CLEAN)
            .bind("unreadMs", unread.toMillis())
            .bind("limit", limit)
            .mapTo(CleanableTask.class)
            .list());
  }

  /**
   * Records that the transcript of the task's child is deleted, and with it that of the child's
   * other tasks.
   */
  @Transactional
  public void markCleaned(CleanableTask task) {
    jdbi.useHandle(handle ->
        handle.createUpdate(CLEANED).bind("id", task.task()).bind("child", task.child()).execute());
  }

  /** Returns the tasks whose words are to be deleted, the first cleaned one first. */
  public List<CleanableTask> toRedact(int limit) {
    return jdbi.withHandle(handle ->
        handle.createQuery(TO_REDACT).bind("limit", limit).mapTo(CleanableTask.class).list());
  }

  /**
   * A task whose words are to be deleted.
   *
   * @param external whether its parent's loop runs elsewhere
   */
  public record RedactableTask(TaskId id, SessionId parent, boolean external, Instant createdAt) {}

  /**
   * Returns the tasks to be blanked with a task, which is the last of them.
   *
   * @param tree its child and all sessions below it
   */
  public List<RedactableTask> redactable(CleanableTask task, List<SessionId> tree) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(REDACTABLE)
            .bind("task", task.task())
            .bind("child", task.child())
            .bindArray("tree", SessionId.class, tree)
            .mapTo(RedactableTask.class)
            .list());
  }

  /** Blanks the words of a task. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void redact(TaskId task) {
    jdbi.useHandle(handle -> handle.createUpdate(REDACT).bind("id", task).execute());
  }

  /** Returns whether the result of one of the child's tasks is not delivered yet. */
  @Transactional(TxType.MANDATORY)
  public boolean isOwed(SessionId child) {
    return jdbi.withHandle(
        handle -> handle.createQuery(OWED).bind("id", child).mapTo(Boolean.class).one());
  }

  /**
   * Deletes the tasks of and for a session, with their idempotency keys and those of the session.
   *
   * @return the number of deleted tasks
   */
  @Transactional(TxType.MANDATORY)
  public int deleteOf(SessionId session) {
    return jdbi.withHandle(
        handle -> handle.createQuery(DELETE).bind("id", session).mapTo(Integer.class).one());
  }
}
