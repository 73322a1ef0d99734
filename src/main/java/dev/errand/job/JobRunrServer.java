package dev.errand.job;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.setting.Bounds;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionManager;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.tasks.steward.OnboardNewWorkTask;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.jspecify.annotations.Nullable;

/** Starts and stops JobRunr, and wakes it when a hint arrives, between its poll intervals. */
@Singleton
public class JobRunrServer implements HintListener {

  /** So that the last run of each upkeep is known. Jobs of sessions are not kept. */
  private static final Duration KEEP_SUCCEEDED_JOBS = Duration.ofDays(1);

  private static final Duration KEEP_DELETED_JOBS = Duration.ofMinutes(10);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final JobStore storage;
  private final JacksonJsonMapper json = new JacksonJsonMapper();
  private final JobConfig config;
  private final Workers workers;
  private volatile BackgroundJobServer server;
  private volatile @Nullable Long startedAt;

  /**
   * @param handlers injected so that the container does not remove these beans, which JobRunr looks
   *     up by type
   */
  JobRunrServer(
      DataSource dataSource,
      TransactionManager transactions,
      JobConfig config,
      @Any Instance<JobRequestHandler<?>> handlers) {
    this.config = config;
    this.workers = new Workers(config.workers());
    this.storage = new JobStore(new EnlistedDataSource(dataSource, transactions), json, workers);
    this.server = newServer();
  }

  private BackgroundJobServer newServer() {
    var made = new BackgroundJobServer(storage, json, activator(), configuration(config, workers));
    workers.workFor(made);
    return made;
  }

  private static JobActivator activator() {
    return new JobActivator() {
      @Override
      public <T> T activateJob(Class<T> type) {
        if (type != RunSessionHandler.class && type != UpkeepHandler.class) {
          throw new IllegalArgumentException(type + " runs no jobs");
        }
        return Arc.container().select(type).get();
      }
    };
  }

  private static BackgroundJobServerConfiguration configuration(JobConfig config, Workers workers) {
    return BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
        .andPollInterval(config.pollInterval())
        .andBackgroundJobServerWorkerPolicy(workers)
        .andDeleteSucceededJobsAfter(KEEP_SUCCEEDED_JOBS)
        .andPermanentlyDeleteDeletedJobsAfter(KEEP_DELETED_JOBS);
  }

  void start(@Observes @Priority(30) StartupEvent start) {
    start();
  }

  private void start() {
    server.start();
    startedAt = System.nanoTime();
  }

  /** Returns whether the last (re)start was at least {@code time} ago. */
  boolean wasStartedBefore(Duration time) {
    var since = startedAt;
    return since != null && System.nanoTime() - since > time.toNanos();
  }

  /** Drains this node while requests are still accepted. */
  void drain(@Observes ShutdownDelayInitiatedEvent stop) {
    workers.drain();
  }

  /** Drains this node before anything else stops, when there is no shutdown delay. */
  void drain(@Observes @Priority(1) ShutdownEvent stop) {
    workers.drain();
  }

  /** Stops the server. Its jobs continue, as they do when it stops by itself. */
  void stop(@Observes @Priority(50) ShutdownEvent stop) {
    server.stop();
  }

  /** Runs that were stopped before may still clean up. */
  void stopWorkers(@Observes @Priority(51) ShutdownEvent stop) {
    workers.endWithin(STOP_LIMIT);
  }

  /**
   * Replaces a server that stopped by itself; the jobs of the old one continue. JobRunr identifies
   * a server by its id, so that a new one is not confused with what the old one still does.
   */
  void restart() {
    var stopped = server;
    server = newServer();
    start();
    Thread.ofVirtual().name("jobrunr-stop").start(stopped::stop);
  }

  /** Returns whether this node is stopping. */
  boolean isDraining() {
    return workers.isDraining();
  }

  JobStore storage() {
    return storage;
  }

  /** Returns whether this node accepts jobs. */
  public boolean isProcessing() {
    return !isDraining() && server.isAnnounced() && server.isRunning();
  }

  /**
   * Gives a job whose row is committed directly to a worker of this node, if one is free and no
   * other job waits. The row stays as it is until the claim of the session deletes it, so that
   * another node finds the job if this one dies before. It may find the job earlier, too; the claim
   * decides which of the two runs the session. This node does not start it a second time.
   *
   * @return false when no worker took the job
   */
  boolean handOver(Job job) {
    return keepWorker(job.getId()) && execute(job);
  }

  /**
   * Keeps a free worker of this node for a job.
   *
   * @return false when no worker is free, or other jobs wait
   */
  private boolean keepWorker(UUID job) {
    var inProgress = server.getJobSteward().getJobsInProgress();
    return isProcessing() && workers.take(job, workers::occupied, inProgress);
  }

  /**
   * Executes a job on the worker that was kept for it.
   *
   * @return false when this node stops
   */
  private boolean execute(Job job) {
    var jobRunr = server;
    job.startProcessingOn(jobRunr);
    try {
      jobRunr.processJob(job);
      return true;
    } catch (RuntimeException stopping) {
      workers.release(job.getId());
      return false;
    }
  }

  /** Returns the workers that execute jobs, or are kept for one. */
  int occupiedWorkers() {
    return workers.occupied() + workers.kept();
  }

  /**
   * Releases the worker that is kept for a job: a worker executes it now, or none will. Idempotent.
   */
  void release(UUID job) {
    workers.release(job);
  }

  @Override
  public Topic topic() {
    return Topic.WORK;
  }

  @Override
  public void hinted() {
    workers.wake();
    new OnboardNewWorkTask(server).runTaskThreadSafe();
  }

  /** Configuration of JobRunr on this node. */
  @ConfigMapping(prefix = "errand.jobrunr")
  public interface JobConfig {

    /**
     * The number of sessions that this node runs at the same time. Default 1000: a run costs a
     * virtual thread and some memory, and database connections are shared. A lower number protects
     * a small model endpoint; a higher one helps when models are slow.
     */
    @WithDefault("1000")
    @Bounds(min = "1")
    int workers();

    /**
     * How often JobRunr renews its own row of this node. Default 15 s, at least 5 s. Queued
     * sessions are looked for once a second, whatever this is; clean-up may be late by this much.
     */
    @WithDefault("15s")
    Duration pollInterval();
  }
}
