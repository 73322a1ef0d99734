package dev.errand.session;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jdbi.v3.core.Jdbi;

/** Checks a lease and keeps it until the transaction ends (architecture, rule 4). */
@ApplicationScoped
class Fence {

  private static final String HOLD =
      """
      select run_turns, generation, parent_id is null as root from session
      where id = :id and epoch = :epoch and state = 'running' for %s
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
  record Held(int runTurns, int generation, boolean isRoot) {}

  /**
   * Locks the session's row for a change.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(Transactional.TxType.MANDATORY)
  Held hold(Lease lease) {
    return locked(lease, "no key update");
  }

  /**
   * Like {@link #hold}, but other transactions of the same run may do so, too: for writes to other
   * tables.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void share(Lease lease) {
    var ignored = locked(lease, "share");
  }

  private Held locked(Lease lease, String strength) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(HOLD.formatted(strength))
            .bind("id", lease.session().value())
            .bind("epoch", lease.epoch())
            .map((row, _) ->
                new Held(row.getInt("run_turns"), row.getInt("generation"), row.getBoolean("root")))
            .findOne()
            .orElseThrow(() -> new LeaseLost(lease)));
  }
}
