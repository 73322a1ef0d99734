package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The load generator. System properties: {@code bench.rounds}, {@code errand.jar}, {@code
 * bench.plain.jar}, {@code bench.report}, {@code bench.parts}.
 */
final class Bench {

  /** What is measured unless other parts are named. */
  private static final String PARTS = "start,latency,throughput,turns,in-flight,limits,cost,idle";

  /** What takes long, and is measured when it is named. */
  private static final String LONG_PARTS =
      "waiting,parked,polls,history,deletion,nodes,dbos,fairness,profile";

  private final int rounds = Integer.getInteger("bench.rounds", 3);
  private final List<String> parts = parts();
  private final Site site;

  private Bench(Site site) {
    this.site = site;
  }

  private static List<String> parts() {
    var known = List.of((PARTS + "," + LONG_PARTS).split(","));
    var parts = List.of(System.getProperty("bench.parts", PARTS).split(","));
    if (!known.containsAll(parts)) {
      throw new IllegalArgumentException("PARTS are some of " + String.join(",", known));
    }
    return parts;
  }

  public static void main(String... arguments) throws IOException, InterruptedException {
    var workspace = Files.createTempDirectory("errand-bench-workspace");
    Turns.prepare(workspace);
    BenchService.prepare();
    try (var model = Model.start()) {
      var settings = BenchService.settings(model.port(), workspace);
      var report = new Report();
      new Bench(new Site(model, settings, report)).run();
      report.write(Path.of(System.getProperty("bench.report", "target/bench.json")));
    }
  }

  private boolean measures(String... some) {
    return Arrays.stream(some).anyMatch(parts::contains);
  }

  private void run() throws IOException, InterruptedException {
    var startUp = new StartUp(site.settings(), site.report());
    if (measures("start")) {
      startUp.prepare();
    }
    for (int round = 1; round <= rounds; round++) {
      System.out.println("round " + round + " of " + rounds);
      if (measures("start")) {
        startUp.measure();
      }
      if (measures("latency", "throughput", "turns", "in-flight")) {
        withEmbeddedDatabase(round);
      }
      if (measures("limits", "cost", "idle")) {
        withCountingDatabase(round);
      }
      atLength(round);
    }
  }

  /** As users run it. */
  private void withEmbeddedDatabase(int round) throws IOException, InterruptedException {
    var report = site.report();
    try (var service = site.node(Map.of())) {
      var throughput = new Throughput(service, service.database(), report);
      if (measures("latency")) {
        new Latencies(service, site.model(), report).measure(round);
      }
      if (measures("throughput")) {
        throughput.tasks(round);
        throughput.cycles(round);
      }
      if (measures("turns")) {
        new Turns(service, site.model(), throughput, report).measure(round);
      }
      if (measures("in-flight")) {
        new InFlight(service, site.model(), report).measure(round);
      }
    }
  }

  /** With an own server of PostgreSQL, which counts statements. */
  private void withCountingDatabase(int round) throws IOException, InterruptedException {
    try (var database = BenchDatabase.counting()) {
      if (measures("limits")) {
        new Limits(database, site.report()).measure();
      }
      try (var service = site.node(database)) {
        var cost = new Cost(database, service, site.report());
        if (measures("cost")) {
          cost.measure(round);
        }
        if (measures("idle")) {
          cost.idle();
        }
      }
    }
  }

  private void atLength(int round) throws IOException, InterruptedException {
    if (measures("waiting")) {
      InFlight.waiting(site, round);
    }
    if (measures("parked")) {
      new Parked(site).measure(round);
    }
    if (measures("polls")) {
      polls();
    }
    if (measures("history")) {
      new Aged(site).measure(round);
    }
    if (measures("deletion")) {
      new Deletion(site).measure();
    }
    if (measures("nodes")) {
      new Nodes(site).measure(round);
    }
    if (measures("dbos")) {
      new Dbos(site).measure(round);
    }
    if (measures("fairness")) {
      new Fairness(site).measure();
    }
    if (measures("profile")) {
      profile();
    }
  }

  private void polls() throws IOException, InterruptedException {
    try (var database = BenchDatabase.counting();
        var service = site.node(database)) {
      new Polls(database, service, site.report()).measure();
    }
  }

  /** Records what the service and its database do while they work on background tasks. */
  private void profile() throws IOException, InterruptedException {
    var recording = Path.of(System.getProperty("bench.profile", "target/profile.jfr"));
    var record = "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + recording;
    try (var database = BenchDatabase.counting();
        var service = site.node(List.of(record), database.environment())) {
      var statements = recording.resolveSibling("profile.txt");
      new Cost(database, service, site.report()).profile(statements);
    }
    System.out.println("recording: " + recording + ", statements: profile.txt beside it");
  }
}
