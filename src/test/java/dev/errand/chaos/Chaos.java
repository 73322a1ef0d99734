package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * One run of the harness: load, interruptions as the seed has them, healing, rest, a check.
 *
 * @param scenarios what may happen; each at least once, then again in an order drawn from the seed
 * @param lasting how long interruptions go on
 */
record Chaos(Path home, Path jar, List<Scenario> scenarios, Duration lasting, long seed) {

  private static final int NODES = 3;
  private static final Duration WARM_UP = Duration.ofSeconds(5);
  private static final Duration REST_LIMIT = Duration.ofSeconds(180);

  Report run() throws IOException, InterruptedException {
    var report = new Report();
    try (var cluster = new Cluster(home, jar, seed, NODES);
        var load = new Load(cluster, seed)) {
      Thread.sleep(WARM_UP);
      strikeAll(cluster, load, report);
      load.scenario("after");
      cluster.heal();
      load.close();
      check(cluster, load, report);
    }
    return report;
  }

  private void strikeAll(Cluster cluster, Load load, Report report)
      throws IOException, InterruptedException {
    var random = new Random(seed);
    var end = System.nanoTime() + lasting.toNanos();
    for (int number = 0; number < scenarios.size() || System.nanoTime() < end; number++) {
      var scenario =
          number < scenarios.size()
              ? scenarios.get(number)
              : scenarios.get(random.nextInt(scenarios.size()));
      load.scenario(scenario.name());
      strike(
          scenario,
          new Scenario.Stage(scenario.name(), cluster, random, new Takeovers(cluster.jdbi())),
          report);
    }
  }

  /** A scenario that could not do what it wanted is a failure; the others go on. */
  private static void strike(Scenario scenario, Scenario.Stage stage, Report report)
      throws IOException, InterruptedException {
    var from = System.nanoTime();
    var struck = 0;
    try {
      struck = scenario.strike(stage);
    } catch (IOException | RuntimeException | AssertionError fault) {
      report.broken(List.of(scenario.name() + " did not work: " + fault));
      stage.cluster().heal();
    }
    report.struck(scenario.name(), struck, stage.takeovers().millis());
    System.out.printf(
        "%s: %d interruptions in %d s%n",
        scenario.name(), struck, (System.nanoTime() - from) / 1_000_000_000);
  }

  private static void check(Cluster cluster, Load load, Report report) throws IOException {
    var checker = new Checker(cluster.jdbi());
    try {
      await().atMost(REST_LIMIT).pollInterval(Duration.ofMillis(500)).until(checker::isQuiet);
    } catch (org.awaitility.core.ConditionTimeoutException restless) {
      report.broken(List.of("it did not come to rest within " + REST_LIMIT));
    }
    report.broken(checker.broken());
    checker.notes().forEach(report::note);
    report.found(
        checker.lost(load.accepted()), checker.toldTwice(), Checker.doneTwice(cluster.sinkFile()));
  }
}
