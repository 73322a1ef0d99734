package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Trees of sessions that were not used for a long time, and may be deleted. */
@Singleton
public class UnusedTrees {

  /**
   * Trees at rest for this long in which no delivery is pending or dead. A root is closed when its
   * tree is deleted: a tree with a closed root has not been deleted completely.
   */
  private static final String FIRST =
      """
      select id
      from session root
      where parent_id is null and created_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        and not exists (
          select 1 from session where root_id = root.id
            and (state not in ('idle', 'closed')
              or root.state <> 'closed' and updated_at >= clock_timestamp() - :keepMs * interval '1 millisecond'))
        and not exists (
          select 1 from task left join outbox on task_id = task.id
          where root_session_id = root.id
            and (ended_at is null
              or root.state <> 'closed' and ended_at >= clock_timestamp() - :keepMs * interval '1 millisecond'
              or outbox.state in ('pending', 'dead')))
        and not exists (
          select 1 from outbox where outbox.session_id = root.id and task_id is null and target <> 'hook' and outbox.state in ('pending', 'dead'))
        and not exists (
          select 1 from task join outbox on callback_task_id = task.id
          where root_session_id = root.id and outbox.state in ('pending', 'dead'))
      order by created_at limit :batch
      """;

  private static final String IS_UNUSED =
      """
      select exists (
      select 1
      from session root
      where parent_id is null and created_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        and not exists (
          select 1 from session where root_id = root.id
            and (state not in ('idle', 'closed')
              or root.state <> 'closed' and updated_at >= clock_timestamp() - :keepMs * interval '1 millisecond'))
        and not exists (
          select 1 from task left join outbox on task_id = task.id
          where root_session_id = root.id
            and (ended_at is null
              or root.state <> 'closed' and ended_at >= clock_timestamp() - :keepMs * interval '1 millisecond'
              or outbox.state in ('pending', 'dead')))
        and not exists (
          select 1 from outbox where outbox.session_id = root.id and task_id is null and target <> 'hook' and outbox.state in ('pending', 'dead'))
        and not exists (
          select 1 from task join outbox on callback_task_id = task.id
          where root_session_id = root.id and outbox.state in ('pending', 'dead'))
        and id = :root)
      """;

  private final Jdbi jdbi;

  UnusedTrees(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The roots of trees that were not used for {@code keep}, the oldest first. */
  public List<SessionId> first(Duration keep, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(FIRST)
            .bind("keepMs", keep.toMillis())
            .bind("batch", limit)
            .mapTo(SessionId.class)
            .list());
  }

  /** Whether the tree of a root, which this transaction has locked, is still unused. */
  @Transactional(TxType.MANDATORY)
  public boolean isUnused(SessionId root, Duration keep) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(IS_UNUSED)
            .bind("keepMs", keep.toMillis())
            .bind("root", root)
            .mapTo(Boolean.class)
            .one());
  }
}
