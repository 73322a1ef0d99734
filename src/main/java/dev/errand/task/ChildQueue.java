package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionLocks;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * The queues of child sessions: tasks for a child that works on another task. Queued tasks are
 * pending, without a session and without a job. A queue changes only under the lock of its session.
 */
@Singleton
public class ChildQueue {

  private static final String BUSY =
      """
      select exists (select 1 from task where session_id = :child and state in ('pending', 'running'))
        or exists (select 1 from task where queued_for = :child)
      """;

  private static final String AHEAD =
      """
      select count(*)
      from task me join task other
        on (other.session_id = me.queued_for and other.state in ('pending', 'running'))
          or (other.queued_for = me.queued_for and other.queue_position < me.queue_position)
      where me.id = :id
      """;

  private static final String FREE =
      """
      select distinct queued_for from task join session on session.id = queued_for
      where session.state in ('idle', 'closed') and not exists (
        select 1 from task other where other.session_id = session.id and other.state in ('pending', 'running'))
      limit :limit
      """;

  private static final String TAKE_FIRST =
      """
      update task set session_id = queued_for, queued_for = null
      where id = (select id from task where queued_for = :child order by queue_position limit 1)
      returning id
      """;

  public static final String SOME_WAIT = "exists (select 1 from task where queued_for is not null)";

  private final Jdbi jdbi;
  private final SessionLocks locks;

  ChildQueue(Jdbi jdbi, SessionLocks locks) {
    this.jdbi = jdbi;
    this.locks = locks;
  }

  /**
   * Returns whether a further task has to wait for this child, because it has a task or answers a
   * client's message; the answer stays valid until the transaction ends.
   */
  @Transactional(TxType.MANDATORY)
  public boolean isBusy(SessionId child) {
    return locks.lock(child) || hasTasks(child);
  }

  /**
   * Returns whether a child has a live task or a queue; the answer stays valid until the
   * transaction ends if it has locked the child.
   */
  public boolean hasTasks(SessionId child) {
    return jdbi.withHandle(
        handle -> handle.createQuery(BUSY).bind("child", child).mapTo(Boolean.class).one());
  }

  /** Returns the number of tasks before this one; 0 when it is not queued. */
  int ahead(TaskId id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(AHEAD).bind("id", id).mapTo(Integer.class).one());
  }

  /** Returns children at rest and without a task that have a queue, at most {@code limit}. */
  List<SessionId> free(int limit) {
    return jdbi.withHandle(
        handle -> handle.createQuery(FREE).bind("limit", limit).mapTo(SessionId.class).list());
  }

  /**
   * Removes the first task from the queue of a child, which has no task and is locked by this
   * transaction, and assigns it to the child.
   */
  @Transactional(TxType.MANDATORY)
  Optional<TaskId> takeFirst(SessionId child) {
    return jdbi.withHandle(handle ->
        handle.createQuery(TAKE_FIRST).bind("child", child).mapTo(TaskId.class).findOne());
  }

  /** Returns the tasks queued for a child, in order. */
  List<TaskId> waitingFor(SessionId child) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select id from task where queued_for = :child order by queue_position")
            .bind("child", child)
            .mapTo(TaskId.class)
            .list());
  }
}
