package dev.errand.bench;

import java.io.IOException;
import org.jdbi.v3.core.Jdbi;

/** Many child sessions at once whose model takes long: time, memory and connections. */
final class InFlight {

  private static final int TASKS = Integer.getInteger("bench.in-flight", 10_000);
  private static final int MODEL_MS = 5000;
  private static final long STEP_MS = 250;

  private final BenchService service;
  private final Jdbi database;
  private final Report report;
  private volatile boolean over;
  private long residentMegabytes;
  private long connections;

  InFlight(BenchService service, Jdbi database, Report report) {
    this.service = service;
    this.database = database;
    this.report = report;
  }

  void measure(int round) throws IOException, InterruptedException {
    var load = new Throughput(service, database, report);
    var parents = load.parents();
    var observer = Thread.ofPlatform().start(this::observe);
    var before = System.nanoTime();
    load.submitAll(parents, "flight-" + round, TASKS, MODEL_MS);
    report.add(TASKS + " in flight: accepted after s", seconds(before));
    load.awaitRest();
    report.add(TASKS + " in flight: ended and delivered after s", seconds(before));
    over = true;
    observer.join();
    report.add(TASKS + " in flight: resident MB", residentMegabytes);
    report.add(TASKS + " in flight: connections", connections);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private void observe() {
    try {
      while (!over) {
        residentMegabytes =
            Math.max(residentMegabytes, BenchProcess.residentMegabytes(service.pid()).orElse(0));
        connections = Math.max(connections, connections());
        Thread.sleep(STEP_MS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private long connections() {
    return database.withHandle(handle ->
        handle
            .createQuery(
                "select count(*) from pg_stat_activity where usename = 'errand' and application_name <> :bench")
            .bind("bench", BenchService.NAME)
            .mapTo(long.class)
            .one());
  }
}
