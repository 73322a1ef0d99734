package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import dev.errand.kit.ServiceCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;

/**
 * One run of the harness: load, faults in an order drawn from the seed, recovery, rest, and a
 * check.
 */
record Chaos(Path home, Subject subject, Plan plan) {

  private static final int NODES = 3;
  private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(60);
  private static final int WARM_UP_TASKS = 10;

  /**
   * The plan of a run.
   *
   * @param scenarios each runs at least once, then again in an order drawn from the seed
   * @param duration the minimum duration of the faults
   * @param restLimit the maximum time until everything has come to rest
   */
  record Plan(List<Scenario> scenarios, Duration duration, long seed, Duration restLimit) {}

  /**
   * The service under test.
   *
   * @param jar the jar of the service; a changed copy when the harness itself is tested
   * @param settings additional environment of the nodes
   */
  record Subject(Path jar, Map<String, String> settings) {

    /** The packaged service. */
    static Subject packaged() {
      return new Subject(ServiceCommand.jar(), Map.of());
    }
  }

  /** Runs when all nodes are ready, before the load starts. */
  interface Preparation {
    void prepare(Cluster cluster) throws IOException, InterruptedException;
  }

  Report run(Preparation preparation) throws IOException, InterruptedException {
    var report = new Report();
    try (var cluster = new Cluster(home, subject, plan.seed(), NODES)) {
      preparation.prepare(cluster);
      try (var load = new Load(cluster, plan.seed())) {
        await().atMost(WARM_UP_LIMIT).until(() -> load.accepted().size() >= WARM_UP_TASKS);
        runScenarios(cluster, load, report);
        load.scenario("after");
        cluster.heal();
        load.close();
        check(cluster, load, report);
      }
    }
    return report;
  }

  private void runScenarios(Cluster cluster, Load load, Report report)
      throws IOException, InterruptedException {
    var random = new Random(plan.seed());
    var scenarios = plan.scenarios();
    var end = System.nanoTime() + plan.duration().toNanos();
    for (int number = 0; number < scenarios.size() || System.nanoTime() < end; number++) {
      var scenario =
          number < scenarios.size()
              ? scenarios.get(number)
              : scenarios.get(random.nextInt(scenarios.size()));
      load.scenario(scenario.name());
      var takeovers = new Takeovers(cluster.jdbi());
      run(scenario, new Scenario.Stage(scenario.name(), cluster, random, takeovers), report);
    }
  }

  /** A scenario that fails to inject its fault is recorded as a failure; the run continues. */
  private static void run(Scenario scenario, Scenario.Stage stage, Report report)
      throws IOException, InterruptedException {
    var from = System.nanoTime();
    var interruptions = 0;
    try {
      interruptions = scenario.run(stage);
      if (interruptions == 0) {
        report.broken(List.of(scenario.name() + " interrupted nothing"));
      }
    } catch (IOException | ConditionTimeoutException | TerminalFailureException exception) {
      report.broken(List.of(scenario.name() + " failed: " + exception));
      stage.cluster().heal();
    }
    report.add(scenario.name(), interruptions, stage.takeovers().millis());
    System.out.printf(
        "%s: %d interruptions in %d s%n",
        scenario.name(), interruptions, (System.nanoTime() - from) / 1_000_000_000);
  }

  private void check(Cluster cluster, Load load, Report report) throws IOException {
    var checker = new Checker(cluster.jdbi());
    try {
      await().atMost(plan.restLimit()).pollInterval(Duration.ofMillis(500)).until(checker::isQuiet);
    } catch (ConditionTimeoutException timeout) {
      report.broken(List.of("not at rest within " + plan.restLimit()));
    }
    report.broken(checker.broken());
    checker.notes().forEach(report::note);
    report.found(
        checker.lost(load.accepted()),
        checker.notifiedTwice(),
        Checker.doneTwice(cluster.sinkFile()));
  }
}
