package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * How often notices may start a root's turns before its user sends a message. A child is never held
 * back, because its parent waits for the result. Called under the lock of the session's row.
 */
@ApplicationScoped
class WakeBudget {

  private final Jdbi jdbi;
  private final int limit;

  WakeBudget(Jdbi jdbi, WakesConfig config) {
    this.jdbi = jdbi;
    this.limit = config.inARow();
  }

  /**
   * Whether there are only notices, and no entry that wakes the session independent of its budget.
   */
  static boolean onlyNotices(List<Inbox.Waiting> waiting) {
    return !waiting.isEmpty()
        && waiting.stream().allMatch(entry -> entry.entry() instanceof InboxEntry.Notice);
  }

  /** Whether all of these entries wait for the session's next turn instead of starting one. */
  boolean holds(SessionId session, List<Inbox.Waiting> waiting) {
    return onlyNotices(waiting) && isSpent(session);
  }

  private boolean isSpent(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select parent_id is null and wakes >= :limit from session where id = :id")
            .bind("id", session.value())
            .bind("limit", limit)
            .mapTo(Boolean.class)
            .one());
  }

  /**
   * Notices start a turn.
   *
   * @return false when the budget is used up: they have to wait
   */
  @Transactional(TxType.MANDATORY)
  boolean spend(SessionId session) {
    return spendIf("parent_id is not null or wakes < :limit", session);
  }

  /**
   * Whether another run follows one that failed, for entries that arrived meanwhile. Not for a
   * child's notices: its task has failed with the run, so nothing waits for the child any more.
   */
  @Transactional(TxType.MANDATORY)
  boolean continuesAfterFailure(SessionId session, List<Inbox.Waiting> waiting) {
    return onlyNotices(waiting)
        ? spendIf("parent_id is null and wakes < :limit", session)
        : !waiting.isEmpty();
  }

  private boolean spendIf(String condition, SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createUpdate(
                "update session set wakes = wakes + 1 where id = :id and (" + condition + ")")
            .bind("id", session.value())
            .bind("limit", limit)
            .execute())
        == 1;
  }

  /** A user has sent a message. */
  @Transactional(TxType.MANDATORY)
  void renew(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute("update session set wakes = 0 where id = ? and wakes > 0", session.value()));
  }
}
