package dev.errand.bench;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** What this machine can do at most in the same round. */
final class Limits {

  private static final long COMMITS_MS = 3000;
  private static final int CONNECTIONS = 8;

  private final BenchDatabase database;
  private final Report report;

  Limits(BenchDatabase database, Report report) {
    this.database = database;
    this.report = report;
  }

  void measure() throws InterruptedException {
    database
        .database()
        .useHandle(handle ->
            handle.execute("create schema bench; create table bench.commits (value int)"));
    report.add("limit: single-row commits per s, 1 connection", commits(1));
    report.add("limit: single-row commits per s, 8 connections", commits(CONNECTIONS));
    JobRunrLimit.measure(database, report);
  }

  private double commits(int connections) throws InterruptedException {
    try (var threads = Executors.newFixedThreadPool(connections)) {
      var commits = 0L;
      var running =
          IntStream.range(0, connections)
              .mapToObj(_ -> threads.submit(() -> commit(database.environment())))
              .toList();
      for (var each : running) {
        commits += each.get();
      }
      return commits * 1000.0 / COMMITS_MS;
    } catch (ExecutionException fault) {
      throw new IllegalStateException("a commit failed", fault.getCause());
    }
  }

  /** Inserts one row per transaction for the time of the measurement. */
  private static long commit(Map<String, String> access) throws SQLException {
    var end = System.nanoTime() + COMMITS_MS * 1_000_000;
    var commits = 0L;
    try (var connection =
            DriverManager.getConnection(
                access.get("ERRAND_DB_URL"),
                access.get("ERRAND_DB_USER"),
                access.get("ERRAND_DB_PASSWORD"));
        var insert = connection.prepareStatement("insert into bench.commits values (1)")) {
      while (System.nanoTime() < end) {
        insert.execute();
        commits++;
      }
    }
    return commits;
  }
}
