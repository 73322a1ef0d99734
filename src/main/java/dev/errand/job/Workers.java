package dev.errand.job;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.jobrunr.jobs.Job;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.configuration.DefaultBackgroundJobServerWorkerPolicy;
import org.jobrunr.server.strategy.BasicWorkDistributionStrategy;
import org.jobrunr.server.strategy.WorkDistributionStrategy;
import org.jobrunr.server.threadpool.JobRunrExecutor;
import org.jobrunr.server.threadpool.VirtualThreadJobRunrExecutor;
import org.jobrunr.storage.navigation.AmountRequest;

/**
 * The workers of JobRunr, with a drain: they accept no more jobs but continue the running ones. A
 * JobRunr server that is stopping does not renew its running jobs (architecture, rule 8). A server
 * that stops by itself leaves its running jobs to the workers (architecture, rule 7).
 */
final class Workers extends DefaultBackgroundJobServerWorkerPolicy {

  /** Jobs that no hint reports, such as those of sessions that were stopped, are not urgent. */
  private static final Duration UNASKED = Duration.ofSeconds(10);

  private final int count;
  private final Threads threads;

  /** The newest server, and earlier ones whose jobs may still run. */
  private final List<BackgroundJobServer> servers = new CopyOnWriteArrayList<>();

  /** Jobs that were given to workers directly and have not begun. */
  private final Set<UUID> taken = ConcurrentHashMap.newKeySet();

  /** Jobs that were read from the queue and have not begun. */
  private final Set<UUID> read = ConcurrentHashMap.newKeySet();

  private volatile boolean draining;
  private volatile boolean mayFindJobs = true;
  private volatile long lookedAt = System.nanoTime();

  Workers(int count) {
    super(count);
    this.count = count;
    this.threads = new Threads(count);
  }

  /** Accepts the jobs of this server from now on. */
  void workFor(BackgroundJobServer server) {
    servers.removeIf(earlier -> occupied(earlier) == 0);
    servers.add(server);
  }

  /** Returns the number of workers that execute jobs, those of earlier servers included. */
  int occupied() {
    return servers.stream().mapToInt(Workers::occupied).sum();
  }

  /** Returns the number of workers that are kept for jobs that have not begun. */
  int kept() {
    return taken.size();
  }

  private static int occupied(BackgroundJobServer server) {
    return server.getJobSteward().getOccupiedWorkerCount();
  }

  /** Stops accepting jobs. */
  void drain() {
    draining = true;
  }

  /**
   * Reserves a worker for a job that does not come from the queue, until it has begun. Jobs that
   * wait in the queue come first.
   *
   * @param occupied the number of workers that execute jobs; asked after those that are kept are
   *     counted, because a job that begins is among the first before it leaves the others
   * @param inProgress the jobs that they execute, as of now
   * @return false when no worker is free, other jobs may wait, or the job was read from the queue
   */
  synchronized boolean take(UUID job, IntSupplier occupied, Set<Job> inProgress) {
    var kept = kept();
    return !draining
        && !mayFindJobs
        && !read.contains(job)
        && inProgress.stream().noneMatch(other -> other.getId().equals(job))
        && kept + occupied.getAsInt() < count
        && taken.add(job);
  }

  /**
   * Leaves out jobs that workers have without the queue, whose rows exist until the claim of their
   * sessions. JobRunr would interrupt the worker that executes such a job.
   *
   * @param jobs that were just read from the queue
   * @param inProgress the jobs that workers execute, as of now
   */
  synchronized List<Job> withoutTaken(List<Job> jobs, Set<Job> inProgress) {
    if (jobs.isEmpty()) {
      return jobs;
    }
    var own = new HashSet<>(taken);
    own.addAll(ids(inProgress));
    var others = jobs.stream().filter(job -> !own.contains(job.getId())).toList();
    read.addAll(ids(others));
    return others;
  }

  private static Set<UUID> ids(Collection<Job> jobs) {
    return jobs.stream().map(Job::getId).collect(Collectors.toSet());
  }

  /** Releases the worker that is kept for a job: the job executes, or it will not execute. */
  void release(UUID job) {
    taken.remove(job);
    read.remove(job);
  }

  /**
   * Wakes the server, because there may be jobs in the queue. Without this, JobRunr rarely looks
   * for some.
   */
  void wake() {
    mayFindJobs = true;
  }

  /** Releases workers that were kept too long. Called before each look at the queue. */
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

  /** Waits until all jobs have ended, and interrupts them when the time is over. */
  void endWithin(Duration limit) {
    threads.end(limit);
  }

  @Override
  public JobRunrExecutor toJobRunrExecutor() {
    return threads;
  }

  @Override
  public WorkDistributionStrategy toWorkDistributionStrategy(BackgroundJobServer server) {
    return new BasicWorkDistributionStrategy(server, count) {
      @Override
      public AmountRequest getWorkPageRequest() {
        var left = Math.max(0, count - occupied() - kept());
        var order = super.getWorkPageRequest().getOrder();
        return new AmountRequest(order, !draining && looks() ? left : 0);
      }
    };
  }

  /** The threads of the workers; one server after the other uses them. */
  private static final class Threads extends VirtualThreadJobRunrExecutor {

    Threads(int count) {
      super(count);
    }

    /**
     * Keeps the jobs running. A server that stops calls this, and would interrupt its jobs some
     * seconds after a failed heartbeat. Model calls and commands would be lost.
     */
    @Override
    public void stop(Duration limit) {}

    void end(Duration limit) {
      super.stop(limit);
    }
  }
}
