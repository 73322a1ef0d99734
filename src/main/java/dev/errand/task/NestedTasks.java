package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionLocks;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The tasks that children delegate in the background. A child's task does not end before the tasks
 * below it: until then its child waits, and no task outlives it.
 */
@Singleton
public class NestedTasks {

  /**
   * Asks whether tasks of the session {@code :session} are live, or their results not delivered
   * yet. The parameter is read by a query of its own, so that PostgreSQL plans the statement once
   * and not for each value.
   */
  private static final String EXPECTS =
      """
      select exists (select 1 from task below where below.parent_session_id = (select :session) and below.state in ('pending', 'running'))
        or exists (select 1 from outbox where outbox.session_id = (select :session) and outbox.state = 'pending' and task_id is not null)
      """;

  private static final String OVER =
      """
      select exists (select 1 from session where id = :session and parent_id is not null and kind = 'hosted')
        and not exists (select 1 from task where session_id = :session and state in ('pending', 'running'))
      """;

  private static final String FINISHED_BELOW =
      """
      select session.id from session
      where session.state = 'waiting' and waits_for = 'below'
        and not exists (
          select 1 from task below where below.parent_session_id = session.id and below.state in ('pending', 'running'))
        and not exists (select 1 from outbox where outbox.session_id = session.id and outbox.state = 'pending' and task_id is not null)
      limit :limit
      """;

  private static final String ORPHANS =
      """
      select parent.id as parent, coalesce(task.session_id, task.queued_for) as child
      from task join session parent on parent.id = task.parent_session_id
      where task.state in ('pending', 'running') and parent.parent_id is not null and parent.kind = 'hosted'
        and not exists (
          select 1 from task above where above.session_id = parent.id and above.state in ('pending', 'running'))
      order by parent.depth
      limit :limit
      """;

  /** Live tasks of any parent. A task whose child waits for those below it is live. */
  static final String SOME_LIVE =
      "exists (select 1 from task where state in ('pending', 'running'))";

  /** The live tasks of a session as a child, those queued for it, and those below it. */
  private static final String LIVE_WITHIN =
      """
      with recursive within as (
        select id, coalesce(session_id, queued_for) as child from task
        where (session_id = :session or queued_for = :session or parent_session_id = :session)
          and state in ('pending', 'running')
        union
        select task.id, coalesce(task.session_id, task.queued_for)
        from task join within on task.parent_session_id = within.child
        where task.state in ('pending', 'running'))
      select id from within
      """;

  private final Jdbi jdbi;
  private final SessionLocks locks;

  NestedTasks(Jdbi jdbi, SessionLocks locks) {
    this.jdbi = jdbi;
    this.locks = locks;
  }

  /** The child of a live task, and the parent, whose own task has ended. */
  record Orphan(SessionId parent, SessionId child) {}

  /** Returns the live tasks of this session as a child, those queued for it, and those below it. */
  List<UUID> liveWithin(SessionId session) {
    return jdbi.withHandle(handle ->
        handle.createQuery(LIVE_WITHIN).bind("session", session).mapTo(UUID.class).list());
  }

  /** Returns how many of these tasks have been cancelled. */
  int cancelled(List<UUID> tasks) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select count(*) from task where id = any(:ids) and state = 'cancelled'")
            .bindArray("ids", UUID.class, tasks)
            .mapTo(Integer.class)
            .one());
  }

  /** Returns whether tasks of this session are live, or their results are not delivered yet. */
  public boolean isExpecting(SessionId session) {
    return is(EXPECTS, session);
  }

  /** Returns whether this is a child whose own task has ended. */
  public boolean isOver(SessionId session) {
    return is(OVER, session);
  }

  /**
   * Returns whether this is a child whose own task has ended, and keeps the answer valid until the
   * transaction ends. False also while another transaction is changing the session.
   */
  @Transactional(TxType.MANDATORY)
  boolean staysOver(SessionId session) {
    return locks.tryShare(session) && isOver(session);
  }

  private boolean is(String sql, SessionId session) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("session", session).mapTo(Boolean.class).one());
  }

  /**
   * Returns children that wait although there is nothing left to wait for: the last result below
   * them was read otherwise, so that no notice wakes them.
   */
  List<SessionId> waitingForNothing(int limit) {
    return jdbi.withHandle(handle ->
        handle.createQuery(FINISHED_BELOW).bind("limit", limit).mapTo(SessionId.class).list());
  }

  /** Returns live tasks whose parent's own task has ended, the highest in their trees first. */
  List<Orphan> orphans(int limit) {
    return jdbi.withHandle(
        handle -> handle.createQuery(ORPHANS).bind("limit", limit).mapTo(Orphan.class).list());
  }
}
