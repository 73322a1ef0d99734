package dev.errand.run;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.DayQuotas;
import dev.errand.session.Lease;
import dev.errand.session.OverQuotaSessions;
import dev.errand.session.Session;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jboss.logging.Logger;

/**
 * Sessions that wait because their tenant has used up its day (architecture, rule 18): until the
 * next day, when they are due like those that wait for a model, or until the quota is raised.
 */
@ApplicationScoped
class QuotaWaits {

  private static final Logger LOG = Logger.getLogger(QuotaWaits.class);
  private static final int BATCH = 500;

  private final DayQuotas quotas;
  private final OverQuotaSessions sessions;
  private final IsolatedSteps steps;

  QuotaWaits(DayQuotas quotas, OverQuotaSessions sessions, IsolatedSteps steps) {
    this.quotas = quotas;
    this.sessions = sessions;
    this.steps = steps;
  }

  void start(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Quota waits", OverQuotaSessions.SOME, this::look).every(2));
    sweeps.add(Sweep.whenDue("Old days of tenants", DayQuotas.SOME_OLD, quotas::deleteOld));
  }

  /**
   * Lets a session that was just claimed wait, if its tenant may call no model now.
   *
   * @return whether it waits
   */
  @Transactional(TxType.MANDATORY)
  boolean hold(Lease lease, Session session) {
    var exceeded = quotas.exceeded(session.tenant());
    exceeded.ifPresent(quota -> hold(lease, quota));
    return exceeded.isPresent();
  }

  /**
   * Ends a run until its tenant may call models again.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  void hold(Lease lease, DayQuotas.Exceeded quota) {
    var until = sessions.putOff(lease, quota);
    LOG.infof("The session waits until %s: %s", until, quota.message());
  }

  /** Makes the sessions of tenants due that may call models again. */
  void look() {
    sessions.tenants().stream()
        .filter(tenant -> quotas.exceeded(tenant).isEmpty())
        .forEach(tenant ->
            steps.forEachIsolated("end_quota_wait", sessions.of(tenant, BATCH), sessions::makeDue));
  }
}
