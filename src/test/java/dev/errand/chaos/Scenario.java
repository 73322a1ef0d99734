package dev.errand.chaos;

import java.io.IOException;
import java.util.Random;

/** One way in which production interferes. */
interface Scenario {

  /** The cluster to interfere with, the seeded random, and where takeovers are noted. */
  record Stage(Cluster cluster, Random random, Takeovers takeovers) {

    Node anyNode() {
      return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
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
