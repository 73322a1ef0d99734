package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jdbi.v3.core.Jdbi;

/**
 * Locks rows of sessions for what other packages change with them. Locks are taken in the order
 * session, task, outbox, event log (architecture, rule 11).
 */
@Singleton
public class SessionLocks {

  private final Jdbi jdbi;
  private final Fence fence;

  SessionLocks(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * Keeps a run's session from being taken away until the transaction ends.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void lock(Lease lease) {
    var ignored = fence.lock(lease);
  }

  /** Keeps a session from being used in any way, so that it can be deleted. */
  @Transactional(TxType.MANDATORY)
  public void lockToDelete(SessionId id) {
    jdbi.useHandle(handle -> handle.execute("select 1 from session where id = ? for update", id));
  }

  /**
   * Keeps a session from being changed until the transaction ends.
   *
   * @return whether a worker drives or will drive the session; false also when it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean lock(SessionId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select state in ('queued', 'running', 'waiting') from session where id = :id for no key update
                """)
            .bind("id", id)
            .mapTo(Boolean.class)
            .findOne()
            .orElse(false));
  }

  /**
   * Locks a session as {@link #lock(SessionId)} does, but never waits: a sweep skips a session that
   * another transaction has locked, and finds it again the next time.
   *
   * @return false when another transaction has locked the session, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryLock(SessionId id) {
    return exists("select 1 from session where id = :id for no key update skip locked", id);
  }

  /**
   * Locks a session that is at rest, without waiting.
   *
   * @return false when a worker drives or will drive the session, another transaction has locked
   *     it, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryLockAtRest(SessionId id) {
    return exists(
        """
        select 1 from session where id = :id and state not in ('queued', 'running', 'waiting')
        for no key update skip locked
        """,
        id);
  }

  /**
   * Keeps a session from being changed until the transaction ends; several transactions may do so.
   *
   * @return false when another transaction is changing the session, or it does not exist
   */
  @Transactional(TxType.MANDATORY)
  public boolean tryShare(SessionId id) {
    return exists("select 1 from session where id = :id for share skip locked", id);
  }

  private boolean exists(String sql, SessionId id) {
    return jdbi.withHandle(handle ->
        handle.createQuery(sql).bind("id", id).mapTo(Integer.class).findOne().isPresent());
  }
}
