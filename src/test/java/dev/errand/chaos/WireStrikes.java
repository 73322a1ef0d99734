package dev.errand.chaos;

import java.time.Duration;
import java.util.List;

/** Faults of the connections between the nodes and the database. */
final class WireStrikes {

  private static final Duration STALL = Duration.ofSeconds(30);
  private static final Duration ISOLATION = Duration.ofSeconds(25);

  /** A node is considered dead when its lock is free for 3 s, checked once per second. */
  private static final Duration SILENCE = Duration.ofSeconds(6);

  private static final Duration WITHOUT_HINTS = Duration.ofSeconds(10);

  /**
   * The checker ignores tasks of the last 3 s, so that the next scenario does not affect the
   * measurement.
   */
  private static final Duration NOT_MEASURED = Duration.ofSeconds(3);

  private static final int STRIKES = 300;
  private static final int CUT_ALL_EVERY = 50;
  private static final long PAUSE_MILLIS = 50;

  /** Submission, claim, turn, start and end of a tool call, end of a task, relay, and release. */
  private static final List<String> COMMITS =
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

  private WireStrikes() {}

  static int loseCommits(Scenario.Stage stage) throws InterruptedException {
    var before = swallowed(stage);
    for (int strike = 0; strike < STRIKES; strike++) {
      stage.anyNode().wire().swallowCommitOf(COMMITS.get(strike % COMMITS.size()));
      Thread.sleep(PAUSE_MILLIS);
    }
    return swallowed(stage) - before;
  }

  private static int swallowed(Scenario.Stage stage) {
    return stage.cluster().nodes().stream().mapToInt(node -> node.wire().swallowed()).sum();
  }

  /** Cuts one connection at a time, and sometimes all connections of a node. */
  static int cut(Scenario.Stage stage) throws InterruptedException {
    for (int strike = 0; strike < STRIKES; strike++) {
      var wire = stage.anyNode().wire();
      if (strike % CUT_ALL_EVERY == 0) {
        wire.cut();
      } else {
        wire.cutOne(stage.random());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return STRIKES;
  }

  static int dropHints(Scenario.Stage stage) throws InterruptedException {
    stage.cluster().nodes().forEach(node -> node.wire().dropHints(true));
    Thread.sleep(WITHOUT_HINTS);
    stage.cluster().nodes().forEach(node -> node.wire().dropHints(false));
    Thread.sleep(NOT_MEASURED);
    return stage.cluster().nodes().size();
  }

  /** Cuts a node off from the database; it still reaches its model. */
  static int isolate(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.wire().isolate();
    Thread.sleep(ISOLATION);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  /**
   * The other nodes consider a node dead that still runs its sessions and trusts its lease; only
   * the fence protects the sessions.
   */
  static int takeForDead(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    var sessions = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.wire().silenceListener();
    stage.takeovers().await(sessions, from);
    var remaining = SILENCE.minusNanos(System.nanoTime() - from);
    Thread.sleep(remaining.isNegative() ? Duration.ZERO : remaining);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  static int stall(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.wire().stall();
    Thread.sleep(STALL);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }
}
