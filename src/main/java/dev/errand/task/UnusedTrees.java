package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Trees of sessions that were not used for a long time, or that have expired, and may be deleted.
 * The tree of a temporary root expires a day after the end of its tasks.
 */
@Singleton
public class UnusedTrees {

  /**
   * Trees at rest for this long in which no delivery is pending or dead. A root is closed when its
   * tree is deleted: a tree with a closed root has not been deleted completely. One root, or all.
   */
  private static final String UNUSED =
      """
      select id from session root
      where parent_id is null
        and (expires_at < statement_timestamp() or created_at < statement_timestamp() - :keepMs * interval '1 millisecond')
        and not exists (
          select 1 from session where root_id = root.id
            and (state not in ('idle', 'closed')
              or root.state <> 'closed' and coalesce(root.expires_at >= statement_timestamp(), true)
                and updated_at >= clock_timestamp() - :keepMs * interval '1 millisecond'))
        and not exists (
          select 1 from task left join outbox on task_id = task.id
          where root_session_id = root.id
            and (ended_at is null
              or root.state <> 'closed' and ended_at >= clock_timestamp() - case
                when root.expires_at < statement_timestamp() then least(:keepMs * interval '1 millisecond', interval '1 day')
                else :keepMs * interval '1 millisecond' end
              or outbox.state in ('pending', 'dead')))
        and not exists (
          select 1 from outbox where outbox.session_id = root.id and task_id is null and target <> 'hook' and outbox.state in ('pending', 'dead'))
        and not exists (
          select 1 from task join outbox on callback_task_id = task.id
          where root_session_id = root.id and outbox.state in ('pending', 'dead'))
        and (:root::uuid is null or id = :root)
      order by created_at limit :batch
      """;

  /** Temporary roots whose tasks have ended, and whose expiry is not set yet. */
  private static final String ENDED =
      """
      select root.id, max(ended_at) + interval '1 day' as expires_at
      from session root join task on root_session_id = root.id
      where root.expires_at = 'infinity'
      group by root.id having bool_and(ended_at is not null)
      limit :batch
      """;

  private final Jdbi jdbi;

  UnusedTrees(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Returns the roots of trees that were not used for {@code keep}, the oldest first. */
  public List<SessionId> first(Duration keep, int limit) {
    return unused(null, keep, limit);
  }

  private List<SessionId> unused(@Nullable SessionId root, Duration keep, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(UNUSED)
            .bind("keepMs", keep.toMillis())
            .bind("root", root)
            .bind("batch", limit)
            .mapTo(SessionId.class)
            .list());
  }

  /** A temporary root whose tasks have ended. */
  public record UnusedTree(SessionId id, Instant expiresAt) {}

  /** Returns the temporary roots whose tasks have ended since the last search. */
  public List<UnusedTree> ended(int limit) {
    return jdbi.withHandle(
        handle -> handle.createQuery(ENDED).bind("batch", limit).mapTo(UnusedTree.class).list());
  }

  /** Returns whether the tree of a root, which this transaction has locked, is still unused. */
  @Transactional(TxType.MANDATORY)
  public boolean isUnused(SessionId root, Duration keep) {
    return !unused(root, keep, 1).isEmpty();
  }
}
