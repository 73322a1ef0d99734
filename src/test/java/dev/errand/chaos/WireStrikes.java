package dev.errand.chaos;

import java.time.Duration;
import java.util.List;

/** What happens to the wires between the nodes and the database. */
final class WireStrikes {

  private static final Duration STALL = Duration.ofSeconds(30);
  private static final Duration ISOLATION = Duration.ofSeconds(25);

  /** A lock that is free for 3 s, and a look a second. */
  private static final Duration SILENCE = Duration.ofSeconds(6);

  private static final Duration WITHOUT_HINTS = Duration.ofSeconds(10);

  /** The checker leaves the tasks of the last 3 s out: the next scenario must not delay others. */
  private static final Duration NOT_MEASURED = Duration.ofSeconds(3);

  private static final int STRIKES = 300;
  private static final int ALL_AT_ONCE = 50;
  private static final long PAUSE_MILLIS = 50;

  /** Submit, claim, turn, tool call begun and ended, task's end, relay, and handing over. */
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

  /** Mostly one connection, now and then all of a node's. */
  static int cut(Scenario.Stage stage) throws InterruptedException {
    for (int strike = 0; strike < STRIKES; strike++) {
      var wire = stage.anyNode().wire();
      if (strike % ALL_AT_ONCE == 0) {
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

  /** The node still reaches its model. */
  static int isolate(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.wire().isolate();
    Thread.sleep(ISOLATION);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  /**
   * The others take a node for dead that lives, drives its sessions and trusts its lease: nothing
   * but the fence is left.
   */
  static int takeForDead(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    var driven = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.wire().silenceListener();
    stage.takeovers().await(driven, from);
    var left = SILENCE.minusNanos(System.nanoTime() - from);
    Thread.sleep(left.isNegative() ? Duration.ZERO : left);
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
