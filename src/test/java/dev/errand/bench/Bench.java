package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The load generator. System properties: {@code bench.rounds}, {@code errand.jar}, {@code
 * bench.plain.jar}, {@code bench.report}.
 */
final class Bench {

  private final int rounds = Integer.getInteger("bench.rounds", 3);
  private final Report report = new Report();
  private final Map<String, String> settings;
  private final Model model;

  private Bench(Model model, Path workspace) {
    this.model = model;
    this.settings = BenchService.settings(model.port(), workspace);
  }

  public static void main(String... arguments) throws IOException, InterruptedException {
    var workspace = Files.createTempDirectory("errand-bench-workspace");
    Turns.prepare(workspace);
    try (var model = Model.start()) {
      var bench = new Bench(model, workspace);
      bench.run();
      bench.report.write(Path.of(System.getProperty("bench.report", "target/bench.json")));
    }
  }

  private void run() throws IOException, InterruptedException {
    var startUp = new StartUp(settings, report);
    startUp.prepare();
    for (int round = 1; round <= rounds; round++) {
      System.out.println("round " + round + " of " + rounds);
      startUp.measure();
      withEmbeddedDatabase(round);
      withCountingDatabase(round);
    }
  }

  /** As users run it. */
  private void withEmbeddedDatabase(int round) throws IOException, InterruptedException {
    try (var service = BenchService.start(home(), settings)) {
      new Latencies(service, model, report).measure(round);
      var throughput = new Throughput(service, service.database(), report);
      throughput.tasks(round);
      throughput.cycles(round);
      new Turns(service, model, throughput, report).measure(round);
      new InFlight(service, service.database(), report).measure(round);
    }
  }

  /** With an own server of PostgreSQL, which counts statements. */
  private void withCountingDatabase(int round) throws IOException, InterruptedException {
    try (var database = BenchDatabase.start()) {
      new Limits(database, report).measure();
      var environment = new HashMap<>(settings);
      environment.putAll(database.environment());
      try (var service = BenchService.start(home(), environment)) {
        var cost = new Cost(database, service, report);
        cost.measure(round);
        cost.idle();
      }
    }
    report.add(
        "tasks ended and delivered per single-row commit of 8 connections",
        report.latest("background tasks ended and delivered per s")
            / report.latest("limit: single-row commits per s, 8 connections"));
  }

  private static Path home() throws IOException {
    return Files.createTempDirectory("errand-bench");
  }
}
