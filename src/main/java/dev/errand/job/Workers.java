package dev.errand.job;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Jobs that no hint reports, such as those of sessions that were stopped, have no hurry. */
  private static final Duration UNASKED = Duration.ofSeconds(10);

  private final int count;
  private final AtomicInteger local = new AtomicInteger();
  private volatile boolean draining;
  private volatile boolean mayFindJobs = true;
  private volatile long lookedAt = System.nanoTime();

  Workers(int count) {
    super(count);
    this.count = count;
  }

  /** Stops accepting jobs. */
  void drain() {
    draining = true;
  }

  /**
   * Takes a worker for a run that does not come from the queue. Jobs that wait in the queue come
   * first.
   *
   * @param occupied workers that execute jobs of the queue
   */
  boolean occupy(int occupied) {
    if (draining || mayFindJobs) {
      return false;
    }
    if (local.incrementAndGet() + occupied > count) {
      local.decrementAndGet();
      return false;
    }
    return true;
  }

  /**
   * Frees a worker that was taken by {@link #occupy}.
   *
   * @return whether there may be jobs in the queue
   */
  boolean free() {
    local.decrementAndGet();
    return mayFindJobs;
  }

  /** There may be jobs in the queue. Without this, JobRunr rarely looks for some. */
  void wake() {
    mayFindJobs = true;
  }

  /** Called before each look at the queue. */
  void look() {
    mayFindJobs = false;
    lookedAt = System.nanoTime();
  }

  private boolean looks() {
    return mayFindJobs || System.nanoTime() - lookedAt > UNASKED.toNanos();
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
        var left = Math.max(0, free.getLimit() - local.get());
        return new AmountRequest(free.getOrder(), !draining && looks() ? left : 0);
      }
    };
  }
}
