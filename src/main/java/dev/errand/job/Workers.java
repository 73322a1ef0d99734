package dev.errand.job;

import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.configuration.DefaultBackgroundJobServerWorkerPolicy;
import org.jobrunr.server.strategy.BasicWorkDistributionStrategy;
import org.jobrunr.server.strategy.WorkDistributionStrategy;
import org.jobrunr.storage.navigation.AmountRequest;

/**
 * The workers of JobRunr, with a drain: they accept no more jobs but continue the running ones. A
 * JobRunr server that is stopping does not renew its running jobs (architecture, rule 8).
 */
final class Workers extends DefaultBackgroundJobServerWorkerPolicy {

  private final int count;
  private volatile boolean draining;
  private volatile boolean mayFindJobs = true;

  Workers(int count) {
    super(count);
    this.count = count;
  }

  /** Stops accepting jobs. */
  void drain() {
    draining = true;
  }

  /** There may be jobs in the queue. Without this, a worker that becomes free looks for none. */
  void wake() {
    mayFindJobs = true;
  }

  /** Called before each look at the queue. */
  void look() {
    mayFindJobs = false;
  }

  boolean isDraining() {
    return draining;
  }

  @Override
  public WorkDistributionStrategy toWorkDistributionStrategy(BackgroundJobServer server) {
    return new BasicWorkDistributionStrategy(server, count) {
      @Override
      public AmountRequest getWorkPageRequest() {
        var free = super.getWorkPageRequest();
        return draining || !mayFindJobs ? new AmountRequest(free.getOrder(), 0) : free;
      }
    };
  }
}
