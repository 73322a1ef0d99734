package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;

/** Faults of the database. */
final class DatabaseFaults {

  private static final Duration LIMIT = Duration.ofSeconds(180);

  private DatabaseFaults() {}

  /**
   * Restarts the database and records how long after its start each node is ready and an agent
   * answers again.
   */
  static int restart(Scenario.Stage stage, Duration away) throws IOException, InterruptedException {
    stage.cluster().database().stopAtOnce();
    Thread.sleep(away);
    stage.cluster().database().startAgain();
    var from = System.nanoTime();
    for (var node : stage.cluster().nodes()) {
      Cluster.awaitReady(node);
      stage.takeovers().note(from);
    }
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> stage.cluster().isTalkingSinceItsStart());
    stage.takeovers().note(from);
    return 1;
  }
}
