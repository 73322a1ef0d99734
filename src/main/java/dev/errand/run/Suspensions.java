package dev.errand.run;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.pause.Pause;
import dev.errand.pause.Pauses;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.DayQuotas;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.SuspendedSessions;
import dev.errand.session.Suspension;
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
 * Ends runs to which a pause applies, or whose tenant has used up its day, and queues their
 * sessions when their suspension is over. Every node looks after a hint, and once a second while
 * there is a pause or a suspended session.
 */
@Singleton
class Suspensions implements HintListener {

  private static final Logger LOG = Logger.getLogger(Suspensions.class);
  private static final int BATCH = 100;

  private final Pauses pauses;
  private final DayQuotas quotas;
  private final SuspendedSessions sessions;
  private final StoppedClocks clocks;
  private final IsolatedSteps steps;

  Suspensions(
      Pauses pauses,
      DayQuotas quotas,
      SuspendedSessions sessions,
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

  /** Returns the pause that applies to a session, as far as this node knows. */
  Optional<Suspension> byPause(Session session) {
    return pauses
        .applyingTo(session.tenant(), session.agent(), session.model())
        .map(Suspensions::by);
  }

  /** Returns the quota that the tenant of a session has used up now. */
  Optional<Suspension> byQuota(Session session) {
    return quotas.exceeded(session.tenant()).map(Suspension.ByQuota::new);
  }

  /**
   * Ends a run until its session is not suspended any more. The time-out of its task stops.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  void suspend(Lease lease, Suspension by) {
    sessions.suspend(lease, by);
    clocks.stop(lease.session());
    LOG.infof("The session waits: %s", reason(by));
  }

  private static String reason(Suspension suspension) {
    return switch (suspension) {
      case Suspension.ByPause by -> "%s (%s)".formatted(by.pause().reason(), by.pause().id());
      case Suspension.ByQuota by -> by.quota().message();
    };
  }

  @Override
  public void hinted() {
    look();
  }

  /** Queues the sessions whose suspension is over. */
  void look() {
    var inForce = pauses.refresh();
    var tenants =
        sessions.tenantsOverQuota().stream()
            .filter(tenant -> quotas.exceeded(tenant).isPresent())
            .toList();
    release(
        inForce,
        new SuspendedSessions.SuspensionsInForce(
            inForce.stream().map(Pause::id).toList(), tenants));
    clocks.stopOnlyAbove(sessions.above());
  }

  /** Ends when a batch makes no progress: what failed is tried again a second later. */
  private void release(List<Pause> pausesInForce, SuspendedSessions.SuspensionsInForce inForce) {
    List<SuspendedSessions.ResumableSession> over;
    int released;
    do {
      over = sessions.over(inForce, BATCH);
      released =
          steps.countIsolated(
              "resume_suspended", over, session -> release(session, pausesInForce, inForce));
    } while (over.size() == BATCH && released > 0);
  }

  private boolean release(
      SuspendedSessions.ResumableSession session,
      List<Pause> pausesInForce,
      SuspendedSessions.SuspensionsInForce inForce) {
    var other =
        pausesInForce.stream()
            .filter(pause -> pause.appliesTo(session.tenant(), session.agent(), session.model()))
            .findFirst();
    if (other.isPresent()) {
      sessions.handOver(session.id(), by(other.get()));
      return true;
    }
    return QuarkusTransaction.requiringNew().call(() -> resume(session, inForce));
  }

  private boolean resume(
      SuspendedSessions.ResumableSession session, SuspendedSessions.SuspensionsInForce inForce) {
    var reason = sessions.release(session.id(), inForce);
    reason.ifPresent(why -> sessions.resume(session.id(), clocks.resume(session.id()), why));
    return reason.isPresent();
  }

  private static Suspension.ByPause by(Pause pause) {
    return new Suspension.ByPause(new Waits.WaitPause(pause.id(), pause.reason()));
  }
}
