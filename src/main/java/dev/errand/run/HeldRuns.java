package dev.errand.run;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.pause.Pause;
import dev.errand.pause.Pauses;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.DayQuotas;
import dev.errand.session.HeldSessions;
import dev.errand.session.HeldSessions.Hold;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.Waits;
import dev.errand.task.StoppedClocks;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Ends runs that a pause holds, or whose tenant has used up its day, and queues their sessions when
 * nothing holds them any more. Every node looks after a hint, and once a second while there is a
 * pause or a held session.
 */
@Singleton
class HeldRuns implements HintListener {

  private static final Logger LOG = Logger.getLogger(HeldRuns.class);
  private static final int BATCH = 100;

  private final Pauses pauses;
  private final DayQuotas quotas;
  private final HeldSessions sessions;
  private final StoppedClocks clocks;
  private final IsolatedSteps steps;

  HeldRuns(
      Pauses pauses,
      DayQuotas quotas,
      HeldSessions sessions,
      StoppedClocks clocks,
      IsolatedSteps steps) {
    this.pauses = pauses;
    this.quotas = quotas;
    this.sessions = sessions;
    this.clocks = clocks;
    this.steps = steps;
  }

  @Override
  public Topic topic() {
    return Topic.PAUSES;
  }

  /** The pause that holds a session, as far as this node knows. */
  Optional<Hold> byPause(Session session) {
    return pauses.holding(session.tenant(), session.agent(), session.model()).map(HeldRuns::hold);
  }

  /** The quota that the tenant of a session has used up now. */
  Optional<Hold> byQuota(Session session) {
    return quotas.exceeded(session.tenant()).map(Hold.ByQuota::new);
  }

  /**
   * Ends a run until nothing holds its session any more. The time-out of its task stops.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  void hold(Lease lease, Hold hold) {
    sessions.hold(lease, hold);
    clocks.stop(lease.session());
    LOG.infof("The session waits: %s", reason(hold));
  }

  private static String reason(Hold hold) {
    return switch (hold) {
      case Hold.ByPause by -> "%s (%s)".formatted(by.pause().reason(), by.pause().id());
      case Hold.ByQuota by -> by.quota().message();
    };
  }

  @Override
  public void hinted() {
    look();
  }

  /** Queues the sessions that nothing holds any more. */
  void look() {
    var inForce = pauses.refresh();
    var tenants =
        sessions.tenantsOverQuota().stream()
            .filter(tenant -> quotas.exceeded(tenant).isPresent())
            .toList();
    release(inForce, new HeldSessions.InForce(inForce.stream().map(Pause::id).toList(), tenants));
    clocks.stopOnlyAbove(sessions.above());
  }

  /** Ends when a batch makes no progress: what failed is tried again a second later. */
  private void release(List<Pause> pausesInForce, HeldSessions.InForce inForce) {
    List<HeldSessions.Held> held;
    int released;
    do {
      held = sessions.heldNoMore(inForce, BATCH);
      released =
          steps.countIsolated(
              "resume_held", held, session -> release(session, pausesInForce, inForce));
    } while (held.size() == BATCH && released > 0);
  }

  private boolean release(
      HeldSessions.Held held, List<Pause> pausesInForce, HeldSessions.InForce inForce) {
    var other =
        pausesInForce.stream()
            .filter(pause -> pause.holds(held.tenant(), held.agent(), held.model()))
            .findFirst();
    if (other.isPresent()) {
      sessions.handOver(held.id(), hold(other.get()));
      return true;
    }
    return QuarkusTransaction.requiringNew().call(() -> resume(held, inForce));
  }

  private boolean resume(HeldSessions.Held held, HeldSessions.InForce inForce) {
    var reason = sessions.release(held.id(), inForce);
    reason.ifPresent(why -> sessions.resume(held.id(), clocks.resume(held.id()), why));
    return reason.isPresent();
  }

  private static Hold.ByPause hold(Pause pause) {
    return new Hold.ByPause(new Waits.Pausing(pause.id(), pause.reason()));
  }
}
