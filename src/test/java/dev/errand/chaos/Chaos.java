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

/** One run of the harness: load, interruptions as the seed has them, healing, rest, a check. */
record Chaos(Path home, Subject subject, Plan plan) {

  private static final int NODES = 3;
  private static final Duration WARM_UP = Duration.ofSeconds(5);

  /**
   * What is to happen.
   *
   * @param scenarios each at least once, then again in an order drawn from the seed
   * @param lasting how long interruptions go on
   * @param restLimit how long it may take until nothing is left to do
   */
  record Plan(List<Scenario> scenarios, Duration lasting, long seed, Duration restLimit) {}

  /**
   * Which service is put to the test.
   *
   * @param jar a changed copy of it when the harness itself is put to the test
   * @param settings environment of its nodes, beside what they need anyway
   */
  record Subject(Path jar, Map<String, String> settings) {

    /** The packaged service. */
    static Subject asItIs() {
      return new Subject(ServiceCommand.jar(), Map.of());
    }
  }

  /** What happens when all nodes are ready, before the load begins. */
  interface Preparation {
    void prepare(Cluster cluster) throws IOException, InterruptedException;
  }

  Report run(Preparation preparation) throws IOException, InterruptedException {
    var report = new Report();
    try (var cluster = new Cluster(home, subject, plan.seed(), NODES)) {
      preparation.prepare(cluster);
      try (var load = new Load(cluster, plan.seed())) {
        Thread.sleep(WARM_UP);
        strikeAll(cluster, load, report);
        load.scenario("after");
        cluster.heal();
        load.close();
        check(cluster, load, report);
      }
    }
    return report;
  }

  private void strikeAll(Cluster cluster, Load load, Report report)
      throws IOException, InterruptedException {
    var random = new Random(plan.seed());
    var scenarios = plan.scenarios();
    var end = System.nanoTime() + plan.lasting().toNanos();
    for (int number = 0; number < scenarios.size() || System.nanoTime() < end; number++) {
      var scenario =
          number < scenarios.size()
              ? scenarios.get(number)
              : scenarios.get(random.nextInt(scenarios.size()));
      load.scenario(scenario.name());
      var takeovers = new Takeovers(cluster.jdbi());
      strike(scenario, new Scenario.Stage(scenario.name(), cluster, random, takeovers), report);
    }
  }

  /** A scenario that could not do what it wanted is a failure; the others go on. */
  private static void strike(Scenario scenario, Scenario.Stage stage, Report report)
      throws IOException, InterruptedException {
    var from = System.nanoTime();
    var struck = 0;
    try {
      struck = scenario.strike(stage);
    } catch (IOException | ConditionTimeoutException | TerminalFailureException fault) {
      report.broken(List.of(scenario.name() + " did not work: " + fault));
      stage.cluster().heal();
    }
    report.struck(scenario.name(), struck, stage.takeovers().millis());
    System.out.printf(
        "%s: %d interruptions in %d s%n",
        scenario.name(), struck, (System.nanoTime() - from) / 1_000_000_000);
  }

  private void check(Cluster cluster, Load load, Report report) throws IOException {
    var checker = new Checker(cluster.jdbi());
    try {
      await().atMost(plan.restLimit()).pollInterval(Duration.ofMillis(500)).until(checker::isQuiet);
    } catch (ConditionTimeoutException restless) {
      report.broken(List.of("it did not come to rest within " + plan.restLimit()));
    }
    report.broken(checker.broken());
    checker.notes().forEach(report::note);
    report.found(
        checker.lost(load.accepted()), checker.toldTwice(), Checker.doneTwice(cluster.sinkFile()));
  }
}
