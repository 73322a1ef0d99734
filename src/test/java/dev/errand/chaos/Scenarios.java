package dev.errand.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** All scenarios, in the order of the report. */
final class Scenarios {

  private static final List<Scenario> ALL =
      List.of(
          named("kill-one", ProcessStrikes::killOne),
          named("kill-all", ProcessStrikes::killAll),
          named("lost-commits", WireStrikes::loseCommits),
          named("cuts", WireStrikes::cut),
          named("cancel-race", TaskStrikes::cancelSome),
          named("idle-race", TaskStrikes::raceWithIdle),
          named("jobs-twice", JobStrikes::handOutTwice),
          named("sigterm", ProcessStrikes::terminateInTurn),
          named("db-restart-0", stage -> DatabaseStrikes.restart(stage, Duration.ZERO)),
          named("hints-dropped", WireStrikes::dropHints),
          named("db-restart-5", stage -> DatabaseStrikes.restart(stage, Duration.ofSeconds(5))),
          named("stop-in-transaction", ProcessStrikes::stopInTransaction),
          named("poison", TaskStrikes::poison),
          named("taken-for-dead", WireStrikes::takeForDead),
          named("isolated", WireStrikes::isolate),
          named("stalled", WireStrikes::stall),
          named("clock-shift", ProcessStrikes::shiftClock),
          named("sigstop", ProcessStrikes::pauseForTwoLeases),
          named("long-tool", TaskStrikes::runLongTool),
          named("db-restart-40", stage -> DatabaseStrikes.restart(stage, Duration.ofSeconds(40))));

  private Scenarios() {}

  static List<Scenario> all() {
    return ALL;
  }

  /**
   * @param names separated by commas
   */
  static List<Scenario> named(String names) {
    var wanted = Arrays.asList(names.split(","));
    return ALL.stream().filter(scenario -> wanted.contains(scenario.name())).toList();
  }

  private interface Strike {
    int on(Scenario.Stage stage) throws IOException, InterruptedException;
  }

  private static Scenario named(String name, Strike strike) {
    return new Scenario() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int strike(Stage stage) throws IOException, InterruptedException {
        return strike.on(stage);
      }
    };
  }
}
