package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The load generator. System properties: {@code bench.rounds}, {@code errand.jar}, {@code
 * bench.plain.jar}, {@code bench.report}, {@code bench.parts}.
 */
final class Bench {

  /** What can be measured on its own. */
  private static final String PARTS = "start,latency,throughput,turns,in-flight,limits,cost,idle";

  private final int rounds = Integer.getInteger("bench.rounds", 3);
  private final List<String> parts = List.of(System.getProperty("bench.parts", PARTS).split(","));
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
    if (parts.contains("start")) {
      startUp.prepare();
    }
    for (int round = 1; round <= rounds; round++) {
      System.out.println("round " + round + " of " + rounds);
      if (parts.contains("start")) {
        startUp.measure();
      }
      if (!Collections.disjoint(parts, List.of("latency", "throughput", "turns", "in-flight"))) {
        withEmbeddedDatabase(round);
      }
      if (!Collections.disjoint(parts, List.of("limits", "cost", "idle"))) {
        withCountingDatabase(round);
      }
      if (parts.contains("profile")) {
        profile();
      }
    }
  }

  /** As users run it. */
  private void withEmbeddedDatabase(int round) throws IOException, InterruptedException {
    try (var service = BenchService.start(home(), settings)) {
      var throughput = new Throughput(service, service.database(), report);
      if (parts.contains("latency")) {
        new Latencies(service, model, report).measure(round);
      }
      if (parts.contains("throughput")) {
        throughput.tasks(round);
        throughput.cycles(round);
      }
      if (parts.contains("turns")) {
        new Turns(service, model, throughput, report).measure(round);
      }
      if (parts.contains("in-flight")) {
        new InFlight(service, service.database(), report).measure(round);
      }
    }
  }

  /** With an own server of PostgreSQL, which counts statements. */
  private void withCountingDatabase(int round) throws IOException, InterruptedException {
    try (var database = BenchDatabase.start()) {
      if (parts.contains("limits")) {
        new Limits(database, report).measure();
      }
      var environment = new HashMap<>(settings);
      environment.putAll(database.environment());
      try (var service = BenchService.start(home(), environment)) {
        var cost = new Cost(database, service, report);
        if (parts.contains("cost")) {
          cost.measure(round);
        }
        if (parts.contains("idle")) {
          cost.idle();
        }
      }
    }
  }

  /** Records what the service and its database do while they work on background tasks. */
  private void profile() throws IOException, InterruptedException {
    var recording = Path.of(System.getProperty("bench.profile", "target/profile.jfr"));
    try (var database = BenchDatabase.start()) {
      var environment = new HashMap<>(settings);
      environment.putAll(database.environment());
      var record =
          "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + recording;
      try (var service = BenchService.start(home(), List.of(record), environment)) {
        new Cost(database, service, report).profile(recording.resolveSibling("profile.txt"));
      }
    }
    System.out.println("recording: " + recording + ", statements: profile.txt beside it");
  }

  private static Path home() throws IOException {
    return Files.createTempDirectory("errand-bench");
  }
}
