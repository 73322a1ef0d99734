package dev.errand.chaos;

import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** One way in which production interferes. */
interface Scenario {

  /** What a task with a slow tool needs beside it, generously. */
  long MARGIN_MILLIS = 120_000;

  /** The cluster to interfere with, the seeded random, and where takeovers are noted. */
  record Stage(String name, Cluster cluster, Random random, Takeovers takeovers) {

    Node anyNode() {
      return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    /** For an errand of the scenario's own. */
    String key(String what) {
      return name + "-" + what + UUID.randomUUID().toString().substring(0, 8) + "-0";
    }

    /**
     * Submits a task whose tool takes so long.
     *
     * @return its id in the database
     */
    String submit(String what, long toolMillis) throws IOException {
      var errand = new Errands(key(what), 0, false, toolMillis, false);
      var body =
          Map.of(
              "description",
              "errand " + errand.key(),
              "prompt",
              errand.prompt(),
              "background",
              true,
              "timeout_ms",
              toolMillis + MARGIN_MILLIS);
      var answer = anyNode().post("/v1/tasks", body, 202);
      return answer.at("/metadata/task_id").asText().substring("task_".length());
    }
  }

  String name();

  /**
   * Interferes once, some seconds long, and leaves everything as it was.
   *
   * @return how many interruptions that were
   */
  int strike(Stage stage) throws IOException, InterruptedException;
}
