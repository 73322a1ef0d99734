package dev.errand.outbox;

import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The transitions in the outbox of notices of results that a caller waits for or that were read,
 * and of answers that an external session has acknowledged.
 */
@Singleton
public class NoticeStore {

  private static final String CONSUME =
      """
      update outbox set state = 'consumed', consumed_at = clock_timestamp()
      where task_id = :task and state in ('pending', 'dead') and kind = 'notice'
      """;

  /** A hosted session may not have read the delivered answer to its call yet. */
  private static final String DELIVERED =
      """
      with locked as (
        select id, kind, session_id from outbox
        where task_id = :task and state = 'delivered' and kind in ('notice', 'tool_result')
        for no key update of outbox)
      select id from locked
      where kind = 'notice'
        or exists (select 1 from session where session.id = locked.session_id and session.kind = 'external')
      """;

  private static final String CONSUME_DELIVERED =
      """
      update outbox
      set state = 'consumed', consumed_at = clock_timestamp(),
          delivered_at = case when not :withdrawn then delivered_at end
      where id = :id
        and (:withdrawn
          or exists (select 1 from session where session.id = outbox.session_id and session.kind = 'external'))
      """;

  private static final String RELEASE =
      "update outbox set available_at = clock_timestamp() where task_id = :task and state = 'pending'";

  private final Jdbi jdbi;

  NoticeStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Marks the notice of a result that was read as consumed: a pending notice is not sent, and a
   * dead notice needs no operator.
   *
   * @return false when there is no such notice
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public boolean consumeUndelivered(TaskId task) {
    return jdbi.withHandle(handle -> handle.createUpdate(CONSUME).bind("task", task).execute())
        == 1;
  }

  /**
   * Returns the delivered notice of a task, or the delivered answer to a call of an external
   * session; locked after the session. Empty when there is none.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public Optional<UUID> lockDelivered(TaskId task) {
    return jdbi.withHandle(
        handle -> handle.createQuery(DELIVERED).bind("task", task).mapTo(UUID.class).findOne());
  }

  /**
   * Marks a delivered row as consumed because its result was read.
   *
   * @param withdrawn whether the notice was still unread in the parent's inbox and was removed from
   *     it; the row of an external parent is consumed either way
   * @return whether the row is consumed now
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public boolean consumeDelivered(UUID id, boolean withdrawn) {
    return jdbi.withHandle(handle ->
        handle
            .createUpdate(CONSUME_DELIVERED)
            .bind("id", id)
            .bind("withdrawn", withdrawn)
            .execute())
        == 1;
  }

  /**
   * Makes the notice that was kept for a caller due now, because the caller does not wait any more.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void release(TaskId task) {
    jdbi.useHandle(handle -> handle.createUpdate(RELEASE).bind("task", task).execute());
  }
}
