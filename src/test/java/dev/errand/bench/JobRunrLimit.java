package dev.errand.bench;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.configuration.DefaultBackgroundJobServerWorkerPolicy;
import org.jobrunr.server.tasks.steward.OnboardNewWorkTask;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/**
 * What JobRunr alone does with jobs that do nothing, with the number of workers, the poll interval
 * and the hint after each job that the service uses.
 */
final class JobRunrLimit {

  private static final int WORKERS = 1000;
  private static final int CONNECTIONS = 20;
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(15);
  private static final int WARM_UP = 2000;
  private static final int JOBS = 5000;
  private static final int SINGLE = 300;
  private static final long STEP_MS = 20;

  private static final ConcurrentHashMap<UUID, Started> STARTS = new ConcurrentHashMap<>();

  private final Semaphore hints = new Semaphore(0);
  private final Report report;
  private final JobRequestScheduler scheduler;
  private final BackgroundJobServer server;

  private JobRunrLimit(AgroalDataSource dataSource, Report report) {
    var storage = new PostgresStorageProvider(dataSource);
    var json = new JacksonJsonMapper();
    storage.setJobMapper(new org.jobrunr.jobs.mappers.JobMapper(json));
    this.report = report;
    this.scheduler = new JobRequestScheduler(storage);
    this.server =
        new BackgroundJobServer(
            storage,
            json,
            new Handlers(),
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andPollInterval(POLL_INTERVAL)
                .andBackgroundJobServerWorkerPolicy(
                    new DefaultBackgroundJobServerWorkerPolicy(WORKERS)));
  }

  /** In a database of its own on the same server. */
  static void measure(BenchDatabase database, Report report) throws InterruptedException {
    database.database().useHandle(handle -> handle.execute("create database jobrunr"));
    try (var dataSource = pool(database)) {
      new JobRunrLimit(dataSource, report).measure();
    } catch (SQLException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static AgroalDataSource pool(BenchDatabase database) throws SQLException {
    var access = database.environment();
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .connectionPoolConfiguration(pool ->
                pool.maxSize(CONNECTIONS)
                    .acquisitionTimeout(Duration.ofSeconds(60))
                    .connectionFactoryConfiguration(connection ->
                        connection
                            .jdbcUrl(
                                Objects.requireNonNull(access.get("ERRAND_DB_URL"))
                                    .replace("/postgres", "/jobrunr"))
                            .principal(new NamePrincipal(access.get("ERRAND_DB_USER")))
                            .credential(new SimplePassword(access.get("ERRAND_DB_PASSWORD"))))));
  }

  private void measure() throws InterruptedException {
    server.start();
    var nudger = Thread.ofVirtual().start(this::nudge);
    try {
      while (!server.isAnnounced() || !server.isRunning()) {
        Thread.sleep(STEP_MS);
      }
      run(WARM_UP);
      var before = System.nanoTime();
      run(JOBS);
      report.add(
          "limit: JobRunr, jobs that do nothing per s",
          JOBS / ((System.nanoTime() - before) / 1e9));
      var starts = new ArrayList<Long>();
      for (int job = 0; job < SINGLE; job++) {
        starts.add(start().await());
      }
      report.addLatency("limit: JobRunr, enqueue → start", Samples.ofNanos(starts));
    } finally {
      nudger.interrupt();
      server.stop();
    }
  }

  private void run(int jobs) throws InterruptedException {
    var started = new Started[jobs];
    Throughput.inParallel(jobs, job -> started[job] = start());
    for (var job : started) {
      job.await();
    }
  }

  private Started start() {
    var id = UUID.randomUUID();
    var started = new Started(System.nanoTime(), new CountDownLatch(1), new long[1]);
    STARTS.put(id, started);
    scheduler.enqueue(new Nothing(id));
    hints.release();
    return started;
  }

  /** Hints that arrive in the meantime are one. */
  private void nudge() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        hints.acquire();
        hints.drainPermits();
        new OnboardNewWorkTask(server).runTaskThreadSafe();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private record Started(long enqueuedAt, CountDownLatch latch, long[] at) {

    private long await() throws InterruptedException {
      latch.await();
      return at[0] - enqueuedAt;
    }
  }

  /** Does nothing. Public because JobRunr creates it by reflection. */
  public record Nothing(UUID id) implements JobRequest {

    @Override
    public Class<NothingHandler> getJobRequestHandler() {
      return NothingHandler.class;
    }
  }

  /** Notes when the job was started. */
  public static final class NothingHandler implements JobRequestHandler<Nothing> {

    @Override
    public void run(Nothing job) {
      var started = Objects.requireNonNull(STARTS.remove(job.id()));
      started.at()[0] = System.nanoTime();
      started.latch().countDown();
    }
  }

  private static final class Handlers implements JobActivator {

    @Override
    public <T> T activateJob(Class<T> type) {
      return type.cast(new NothingHandler());
    }
  }
}
