package dev.errand.run;

import dev.errand.model.ModelConfig;
import dev.errand.session.Lease;
import dev.errand.session.ModelCalls;
import dev.errand.session.ModelPatience;
import dev.errand.session.Suspension;
import dev.errand.session.Waits;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Objects;
import org.jboss.logging.Logger;

/**
 * Ends runs whose sessions wait without a worker: for their model, for memory, or until they are
 * not suspended any more (architecture, rule 18).
 */
@Singleton
class RunWaits {

  private static final Logger LOG = Logger.getLogger(RunWaits.class);

  private final ModelPatience patience;
  private final Waits waits;
  private final ModelAdmission models;
  private final Suspensions suspensions;
  private final ModelCalls modelCalls;
  private final RunEnds ends;
  private final ModelConfig config;
  private final ModelRetryConfig retry;

  RunWaits(
      ModelPatience patience,
      Waits waits,
      ModelAdmission models,
      Suspensions suspensions,
      ModelCalls modelCalls,
      RunEnds ends,
      ModelConfig config,
      ModelRetryConfig retry) {
    this.patience = patience;
    this.waits = waits;
    this.models = models;
    this.suspensions = suspensions;
    this.modelCalls = modelCalls;
    this.ends = ends;
    this.config = config;
    this.retry = retry;
  }

  /** Ends the run until its model can be called, or permanently when it has waited for too long. */
  @Transactional
  void delay(Run run, LoopEnd.Delayed end) {
    var lease = run.lease();
    var away = end.away();
    if (!delay(lease, end)) {
      ends.fail(run, Objects.requireNonNull(away).permanent());
      return;
    }
    var error = away == null ? end.reason().word() : away.code();
    run.modelCall().ifPresent(call -> modelCalls.failed(lease, call, error));
  }

  /**
   * Lets the session of a run wait until its model can be called, or until there is memory for it.
   *
   * @return false when the session has waited for too long; then nothing has changed
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  boolean delay(Lease lease, LoopEnd.Delayed end) {
    var wait = patience.count(lease, terms(end));
    wait.ifPresent(left -> {
      var reason = end.reason();
      waits.enter(lease, Waits.SessionWait.of(reason.waitsFor(), reason.word(), left));
      LOG.infof("The session waits for %d ms (%s)", left.toMillis(), reason.word());
      models.lookAfter(left);
    });
    return wait.isPresent();
  }

  private ModelPatience.WaitTerms terms(LoopEnd.Delayed end) {
    var away = end.away();
    var doubled = retry.firstDelay().multipliedBy(1L << Math.min(retry.attempts() - 1, 10));
    return new ModelPatience.WaitTerms(
        end.atLeast(),
        doubled,
        retry.longestDelay(),
        config.patience(),
        away == null ? null : new ModelPatience.ModelAway(away.code(), away.message()),
        end.tried());
  }

  /** Ends the run until its session is not suspended any more. */
  @Transactional
  void suspend(Run run, Suspension by) {
    suspensions.suspend(run.lease(), by);
    run.modelCall().ifPresent(call -> modelCalls.failed(run.lease(), call, by.word()));
  }
}
