package dev.errand.bench;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.tasks.steward.OnboardNewWorkTask;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.jobrunr.jobs.mappers.JobMapper;

/**
 * JobRunr alone, with its own tables and jobs that do nothing. Prints the jobs per second, and the
 * median of the milliseconds from enqueuing a job to its start.
 */
final class JobRunrMain {

  private static final int JOBS = 5000;
  private static final int SINGLE_JOBS = 200;
  private static final int CONNECTIONS = 20;
  private static final int WORKERS = 1000;

  private static volatile CountDownLatch open = new CountDownLatch(0);
  private static volatile long startedAt;

  private JobRunrMain() {}

  /** A job that does nothing. */
  record NoOp() implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
      return Handler.class;
    }
  }

  /** Notes that a job ran. */
  static final class Handler implements JobRequestHandler<NoOp> {
    @Override
    public void run(NoOp job) {
      startedAt = System.nanoTime();
      open.countDown();
    }
  }

  public static void main(String... arguments) throws SQLException, InterruptedException {
    try (var dataSource = AgroalDataSource.from(pool())) {
      var json = new JacksonJsonMapper();
      var storage = new PostgresStorageProvider(dataSource, "bench_");
      storage.setJobMapper(new JobMapper(json));
      var server =
          new BackgroundJobServer(
              storage,
              json,
              activator(),
              BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                  .andWorkerCount(WORKERS)
                  .andPollInterval(Duration.ofSeconds(15)));
      var scheduler = new JobRequestScheduler(storage);
      server.start();
      latency(server, scheduler);
      System.out.println(rate(server, scheduler));
      System.out.println(latency(server, scheduler));
      server.stop();
    }
    System.exit(0);
  }

  private static double rate(BackgroundJobServer server, JobRequestScheduler scheduler)
      throws InterruptedException {
    open = new CountDownLatch(JOBS);
    scheduler.enqueue(IntStream.range(0, JOBS).mapToObj(_ -> new NoOp()));
    var before = System.nanoTime();
    new OnboardNewWorkTask(server).runTaskThreadSafe();
    open.await();
    return JOBS / ((System.nanoTime() - before) / 1e9);
  }

  private static double latency(BackgroundJobServer server, JobRequestScheduler scheduler)
      throws InterruptedException {
    var times = new ArrayList<Long>();
    for (int job = 0; job < SINGLE_JOBS; job++) {
      open = new CountDownLatch(1);
      var before = System.nanoTime();
      scheduler.enqueue(new NoOp());
      new OnboardNewWorkTask(server).runTaskThreadSafe();
      open.await();
      times.add(startedAt - before);
    }
    return Samples.ofNanos(List.copyOf(times)).median();
  }

  private static JobActivator activator() {
    return new JobActivator() {
      @Override
      public <T> T activateJob(Class<T> type) {
        return type.cast(new Handler());
      }
    };
  }

  private static AgroalDataSourceConfigurationSupplier pool() {
    return new AgroalDataSourceConfigurationSupplier()
        .connectionPoolConfiguration(
            pool ->
                pool.maxSize(CONNECTIONS)
                    .connectionFactoryConfiguration(
                        factory ->
                            factory
                                .jdbcUrl(System.getenv("ERRAND_DB_URL"))
                                .principal(new NamePrincipal(System.getenv("ERRAND_DB_USER")))
                                .credential(
                                    new SimplePassword(System.getenv("ERRAND_DB_PASSWORD")))));
  }
}
