package dev.errand.job;

import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.configuration.DefaultBackgroundJobServerWorkerPolicy;
import org.jobrunr.server.strategy.BasicWorkDistributionStrategy;
import org.jobrunr.server.strategy.WorkDistributionStrategy;
import org.jobrunr.storage.navigation.AmountRequest;

/**
 * JobRunr's workers, which can be told to take no more jobs while they go on with those they have:
 * a server of JobRunr's that is stopping no longer tells that its jobs still run (architecture,
 * rule 8).
 */
final class Workers extends DefaultBackgroundJobServerWorkerPolicy {

  private final int count;
  private volatile boolean draining;

  Workers(int count) {
    super(count);
    this.count = count;
  }

  /** No more jobs from now on. */
  void drain() {
    draining = true;
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
        return draining ? new AmountRequest(free.getOrder(), 0) : free;
      }
    };
  }
}
