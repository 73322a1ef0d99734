package dev.errand.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** All scenarios, in the order of the report. */
final class Scenarios {

  private static final List<Scenario> ALL =
      List.of(
          named("kill-one", ProcessFaults::killOne),
          named("kill-all", ProcessFaults::killAll),
          named("lost-commits", ConnectionFaults::loseCommits),
          named("cuts", ConnectionFaults::cut),
          named("cancel-race", TaskFaults::cancelSome),
          named("idle-race", TaskFaults::raceWithIdle),
          named("jobs-twice", JobFaults::handOutTwice),
          named("sigterm", ProcessFaults::terminateInTurn),
          named("db-restart-0", stage -> DatabaseFaults.restart(stage, Duration.ZERO)),
          named("hints-dropped", ConnectionFaults::dropHints),
          named("db-restart-5", stage -> DatabaseFaults.restart(stage, Duration.ofSeconds(5))),
          named("stop-in-transaction", ProcessFaults::stopInTransaction),
          named("poison", TaskFaults::poison),
          named("taken-for-dead", ConnectionFaults::takeForDead),
          named("isolated", ConnectionFaults::isolate),
          named("stalled", ConnectionFaults::stall),
          named("model-away", ModelFaults::away),
          named("compaction", ModelFaults::compact),
          named("pause", PauseFaults::pauseEachScope),
          named("clock-shift", ProcessFaults::shiftClock),
          named("sigstop", ProcessFaults::pauseForTwoLeases),
          named("long-tool", TaskFaults::runLongTool),
          named("db-restart-40", stage -> DatabaseFaults.restart(stage, Duration.ofSeconds(40))));

  private Scenarios() {}

  /** All scenarios that this machine has the programs for. */
  static List<Scenario> all() throws IOException, InterruptedException {
    if (Processes.isInstalled("gcc")) {
      return ALL;
    }
    System.out.println("clock-shift is left out: gcc is not installed");
    return ALL.stream().filter(scenario -> !scenario.name().equals("clock-shift")).toList();
  }

  /**
   * @param names separated by commas
   */
  static List<Scenario> named(String names) {
    var wanted = Arrays.asList(names.split(","));
    return ALL.stream().filter(scenario -> wanted.contains(scenario.name())).toList();
  }

  private interface Fault {
    int inject(Scenario.Stage stage) throws IOException, InterruptedException;
  }

  private static Scenario named(String name, Fault fault) {
    return new Scenario() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int run(Stage stage) throws IOException, InterruptedException {
        return fault.inject(stage);
      }
    };
  }
}
