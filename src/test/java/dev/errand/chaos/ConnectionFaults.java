package dev.errand.chaos;

import java.time.Duration;
import java.util.List;

/** Faults of the connections between the nodes and the database. */
final class ConnectionFaults {

  private static final Duration STALL = Duration.ofSeconds(30);
  private static final Duration ISOLATION = Duration.ofSeconds(25);

  /** Once in a short run: whether a session writes at the wrong moment is a matter of chance. */
  private static final int TAKEN_FOR_DEAD = Math.max(1, Integer.getInteger("chaos.races", 12) / 20);

  /** A node is considered dead when its lock is free for 3 s, checked once per second. */
  private static final Duration SILENCE = Duration.ofSeconds(6);

  /**
   * The checker ignores tasks of the last 3 s, so that the next scenario does not affect the
   * measurement.
   */
  private static final Duration NOT_MEASURED = Duration.ofSeconds(3);

  private static final int CUT_ALL_EVERY = 50;
  private static final long PAUSE_MILLIS = 50;

  /** Submission, claim, turn, start and end of a tool call, end of a task, relay, and release. */
  static final List<String> COMMITS =
      List.of(
          "insert into task ",
          "set state = 'running', epoch = epoch + 1",
          "insert into message ",
          "update tool_call set state = 'started'",
          "is_error = $",
          "stop_reason = $",
          "insert into inbox ",
          "update outbox\nset state = $",
          "set state = 'queued', queued_at");

  private ConnectionFaults() {}

  static int loseCommits(Scenario.Stage stage) throws InterruptedException {
    var before = swallowed(stage);
    for (int round = 0; round < Scenario.ROUNDS; round++) {
      stage.anyNode().proxy().swallowCommitOf(COMMITS.get(round % COMMITS.size()));
      Thread.sleep(PAUSE_MILLIS);
    }
    return swallowed(stage) - before;
  }

  private static int swallowed(Scenario.Stage stage) {
    return stage.cluster().nodes().stream().mapToInt(node -> node.proxy().swallowed()).sum();
  }

  /** Cuts one connection at a time, and sometimes all connections of a node. */
  static int cut(Scenario.Stage stage) throws InterruptedException {
    var connections = 0;
    for (int round = 0; round < Scenario.ROUNDS; round++) {
      var proxy = stage.anyNode().proxy();
      connections += round % CUT_ALL_EVERY == 0 ? proxy.cut() : proxy.cutOne(stage.random());
      Thread.sleep(PAUSE_MILLIS);
    }
    return connections;
  }

  static int dropHints(Scenario.Stage stage) throws InterruptedException {
    stage.cluster().nodes().forEach(node -> node.proxy().dropHints(true));
    Thread.sleep(Scenario.LASTING);
    stage.cluster().nodes().forEach(node -> node.proxy().dropHints(false));
    Thread.sleep(NOT_MEASURED);
    return stage.cluster().nodes().stream().mapToInt(node -> node.proxy().droppedHints()).sum();
  }

  /** Cuts a node off from the database; it still reaches its model. */
  static int isolate(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.proxy().isolate();
    Thread.sleep(ISOLATION);
    victim.proxy().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  /**
   * The other nodes consider a node dead that still runs its sessions and trusts its lease; only
   * the fence protects the sessions.
   */
  static int takeForDead(Scenario.Stage stage) throws InterruptedException {
    var taken = 0;
    for (int number = 0; number < TAKEN_FOR_DEAD; number++) {
      taken += takeForDead(stage, stage.anyNode());
    }
    return taken;
  }

  private static int takeForDead(Scenario.Stage stage, Node victim) throws InterruptedException {
    var sessions = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.proxy().silenceListener();
    stage.takeovers().await(sessions, from);
    var remaining = SILENCE.minusNanos(System.nanoTime() - from);
    Thread.sleep(remaining.isNegative() ? Duration.ZERO : remaining);
    victim.proxy().restore();
    Cluster.awaitReady(victim);
    return sessions.size();
  }

  static int stall(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.proxy().stall();
    Thread.sleep(STALL);
    victim.proxy().restore();
    Cluster.awaitReady(victim);
    return 1;
  }
}
