package dev.errand.session;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jdbi.v3.core.Jdbi;

/** Checks a lease and keeps it until the transaction ends (architecture, rule 4). */
@ApplicationScoped
class Fence {

  private static final String HOLD =
      "select run_turns from session where id = :id and epoch = :epoch and state = 'running' for ";

  private final Jdbi jdbi;

  Fence(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Locks the session's row for a change.
   *
   * @return turns since the session was last idle
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(Transactional.TxType.MANDATORY)
  int hold(Lease lease) {
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

  private int locked(Lease lease, String strength) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(HOLD + strength)
            .bind("id", lease.session().value())
            .bind("epoch", lease.epoch())
            .mapTo(Integer.class)
            .findOne()
            .orElseThrow(() -> new LeaseLost(lease)));
  }
}
