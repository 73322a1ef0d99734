package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a background task and an idle node cost. */
final class Cost {

  private static final int TASKS = Integer.getInteger("bench.tasks", 1000);
  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 1000);
  private static final long SETTLE_MS = 3000;

  /** The compiler works for half a minute after the last task. */
  private static final long REST_MS = 60_000;

  private static final long IDLE_MS = 20_000;

  private final BenchDatabase database;
  private final BenchService service;
  private final Report report;

  Cost(BenchDatabase database, BenchService service, Report report) {
    this.database = database;
    this.service = service;
    this.report = report;
  }

  private Counters counters() {
    return Counters.of(service, database);
  }

  void measure(int round) throws IOException, InterruptedException {
    var load = new Throughput(service, database.database(), report);
    var parents = load.parents();
    load.submitAll(parents, "cost-warm-" + round, WARM_UP);
    load.awaitRest();
    Thread.sleep(SETTLE_MS);
    var place = database.written();
    var before = counters();
    load.submitAll(parents, "cost-" + round, TASKS);
    load.awaitRest();
    var after = counters();
    var writes = database.since(place);
    Thread.sleep(SETTLE_MS);
    var settled = database.commits();
    report.add("SQL statements per task", per(before.statements(), after.statements(), TASKS));
    report.add("commits per task", per(before.commits(), settled, TASKS));
    report.add("rows written per task", per(0, writes.rows(), TASKS));
    report.add("index entries written per task", per(0, writes.entries(), TASKS));
    report.add(
        "processor ms per task, service",
        per(before.serviceMillis(), after.serviceMillis(), TASKS));
    report.add(
        "processor ms per task, PostgreSQL",
        per(before.databaseMillis(), after.databaseMillis(), TASKS));
    report.add(
        "processor ms per task, service and PostgreSQL",
        per(before.busyMillis(), after.busyMillis(), TASKS));
  }

  /** Writes what the database does for a task into a file. */
  void profile(Path statements) throws IOException, InterruptedException {
    var load = new Throughput(service, database.database(), report);
    var parents = load.parents();
    load.submitAll(parents, "profile-warm", WARM_UP);
    load.awaitRest();
    database.forget();
    load.submitAll(parents, "profile", TASKS);
    load.awaitRest();
    Files.write(statements, database.statementsPer(TASKS));
  }

  /** Nothing to do. */
  void idle() throws InterruptedException {
    Thread.sleep(REST_MS);
    var before = counters();
    Thread.sleep(IDLE_MS);
    var idle = counters().since(before);
    report.add("idle: commits per s", idle.commits());
    report.add("idle: statements per s", idle.statements());
    report.add("idle: processor %", idle.processor());
    BenchProcess.residentMegabytes(service.pid())
        .ifPresent(megabytes -> report.add("resident MB after load", megabytes));
  }

  private static double per(long before, long after, int amount) {
    return (double) (after - before) / amount;
  }
}
