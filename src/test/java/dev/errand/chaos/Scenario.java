package dev.errand.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** One kind of fault that occurs in production. */
interface Scenario {

  /** Additional time limit of a task with a slow tool; generous. */
  long MARGIN_MILLIS = 120_000;

  int MAX_TURNS = 100;

  /** How often something is cut. The short list of scenarios has fewer rounds. */
  int ROUNDS = Integer.getInteger("chaos.rounds", 100);

  /** How long a fault lasts that occurs by itself. */
  Duration LASTING = Duration.ofMillis(40L * ROUNDS);

  /** The cluster, the seeded random source, and the record of takeovers. */
  record Stage(String name, Cluster cluster, Random random, Takeovers takeovers) {

    Node anyNode() {
      return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    /** Returns a unique key for a task of this scenario. */
    String key(String label) {
      return name + "-" + label + UUID.randomUUID().toString().substring(0, 8) + "-0";
    }

    /**
     * Submits a task with a tool call of this duration.
     *
     * @return the id of the task in the database
     */
    String submit(String label, long toolMillis) throws IOException {
      return submit(Errand.slow(key(label), toolMillis), toolMillis + MARGIN_MILLIS);
    }

    /**
     * @return the id of the task in the database
     */
    String submit(Errand errand, long timeoutMillis) throws IOException {
      var body =
          Map.of(
              "description",
              "errand " + errand.key(),
              "prompt",
              errand.prompt(),
              "background",
              true,
              "timeout_ms",
              timeoutMillis,
              "max_turns",
              MAX_TURNS);
      var answer = anyNode().postPatiently("/v1/tasks", body, 202);
      return answer.at("/metadata/task_id").asText().substring("task_".length());
    }
  }

  String name();

  /**
   * Injects the fault for some seconds and then restores the cluster.
   *
   * @return the number of interruptions; a scenario that interrupts nothing has failed
   */
  int run(Stage stage) throws IOException, InterruptedException;
}
