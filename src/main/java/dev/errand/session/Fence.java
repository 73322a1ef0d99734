package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Checks a lease and keeps it until the transaction ends (architecture, rule 4). An external
 * session is never running: there, each tool call of the client has a lease of its own, which it
 * loses when it ends and when another node takes it over.
 */
@Singleton
class Fence {

  private static final String LOCK =
      """
      select run_turns, generation, parent_id is null as root from session
      where id = :id and epoch = :epoch and state = 'running' for no key update
      """;

  private static final String SHARE =
      """
      select run_turns, generation, parent_id is null as root from session
      where id = :id and epoch = :epoch and state = 'running' for share
      """;

  private static final String LOCK_EXTERNAL =
      """
      select run_turns, generation, parent_id is null as root from session
      where id = :id and kind = 'external' and state = 'idle' for no key update
      """;

  private static final String SHARE_EXTERNAL =
      """
      select run_turns, generation, parent_id is null as root from session
      where id = :id and kind = 'external' and state = 'idle' for share
      """;

  private static final String SHARE_CALL =
      """
      select 1 from tool_call
      where session_id = :id and message_seq = 0 and epoch = :epoch and node_id is not null for share
      """;

  private final Jdbi jdbi;

  Fence(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A locked session.
   *
   * @param runTurns turns since the session was last idle
   */
  record LockedSession(int runTurns, int generation, boolean isRoot) {}

  /**
   * Locks the session's row for a change.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(Transactional.TxType.MANDATORY)
  LockedSession lock(Lease lease) {
    return locked(LOCK, lease).orElseGet(() -> lockedCall(LOCK_EXTERNAL, lease));
  }

  /** Adds to a pipeline what locks the row of a run's session; no row: the run has lost it. */
  @Transactional(Transactional.TxType.MANDATORY)
  Pipeline.Rows<LockedSession> lock(Pipeline pipeline, Lease lease) {
    return pipeline.query(
        Statement.of(LOCK).bind("id", lease.session()).bind("epoch", lease.epoch()),
        (row, _) -> read(row));
  }

  /**
   * Checks a lease for writes to other tables. Other transactions of the same run may do so at the
   * same time.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void share(Lease lease) {
    if (locked(SHARE, lease).isEmpty()) {
      var ignored = lockedCall(SHARE_EXTERNAL, lease);
    }
  }

  /** Waits for other transactions that change the session's row, whichever run owns the session. */
  @Transactional(Transactional.TxType.MANDATORY)
  void lock(SessionId session) {
    jdbi.useHandle(
        handle -> handle.execute("select 1 from session where id = ? for no key update", session));
  }

  private Optional<LockedSession> locked(String sql, Lease lease) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(sql)
            .bind("id", lease.session())
            .bind("epoch", lease.epoch())
            .map((row, _) -> read(row))
            .findOne());
  }

  /**
   * Locks a call by two statements: only the row that is locked is read again after a wait for its
   * lock.
   */
  private LockedSession lockedCall(String sql, Lease lease) {
    var locked = locked(sql, lease);
    var call =
        jdbi.withHandle(handle ->
            handle
                .createQuery(SHARE_CALL)
                .bind("id", lease.session())
                .bind("epoch", lease.epoch())
                .mapTo(Integer.class)
                .findOne());
    return locked.filter(_ -> call.isPresent()).orElseThrow(() -> new LeaseLost(lease));
  }

  private static LockedSession read(ResultSet row) throws SQLException {
    return new LockedSession(
        row.getInt("run_turns"), row.getInt("generation"), row.getBoolean("root"));
  }
}
