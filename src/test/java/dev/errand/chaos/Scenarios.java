package dev.errand.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** All ways to interfere, in the order of the table. */
final class Scenarios {

  private static final Duration TWO_LEASES = Duration.ofSeconds(42);
  private static final Duration STALL = Duration.ofSeconds(30);
  private static final Duration ISOLATION = Duration.ofSeconds(25);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);
  private static final int SMALL_STRIKES = 25;
  private static final long SMALL_PAUSE_MILLIS = 200;

  private Scenarios() {}

  static List<Scenario> all() {
    return List.of(
        named("kill-one", Scenarios::killOne),
        named("kill-all", Scenarios::killAll),
        named("lost-commits", Scenarios::loseCommits),
        named("cuts", Scenarios::cut),
        named("cancel-race", Scenarios::cancelSome),
        named("sigterm", Scenarios::terminateInTurn),
        named("db-restart-0", stage -> restartDatabase(stage, Duration.ZERO)),
        named("hints-dropped", Scenarios::dropHints),
        named("stop-in-transaction", Scenarios::stopInTransaction),
        named("db-restart-5", stage -> restartDatabase(stage, Duration.ofSeconds(5))),
        named("isolated", Scenarios::isolate),
        named("stalled", Scenarios::stall),
        named("sigstop", Scenarios::pauseForTwoLeases),
        named("poison", Scenarios::poison),
        named("clock-shift", Scenarios::shiftClock),
        named("db-restart-40", stage -> restartDatabase(stage, Duration.ofSeconds(40))));
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

  private static int killOne(Scenario.Stage stage) throws IOException, InterruptedException {
    var victim = stage.anyNode();
    var driven = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.kill();
    stage.takeovers().await(driven, from);
    victim.startAgain();
    Cluster.awaitReady(victim);
    return 1;
  }

  private static int killAll(Scenario.Stage stage) throws IOException, InterruptedException {
    for (var node : stage.cluster().nodes()) {
      node.kill();
    }
    stage.cluster().heal();
    return stage.cluster().nodes().size();
  }

  private static int loseCommits(Scenario.Stage stage) throws InterruptedException {
    var before = swallowed(stage);
    for (int strike = 0; strike < SMALL_STRIKES; strike++) {
      stage.anyNode().wire().swallowCommits(1);
      Thread.sleep(SMALL_PAUSE_MILLIS);
    }
    return swallowed(stage) - before;
  }

  private static int swallowed(Scenario.Stage stage) {
    return stage.cluster().nodes().stream().mapToInt(node -> node.wire().swallowed()).sum();
  }

  private static int cut(Scenario.Stage stage) throws InterruptedException {
    for (int strike = 0; strike < SMALL_STRIKES; strike++) {
      stage.anyNode().wire().cut();
      Thread.sleep(SMALL_PAUSE_MILLIS);
    }
    return SMALL_STRIKES;
  }

  /** Cancels tasks that may end in the same moment. */
  private static int cancelSome(Scenario.Stage stage) throws IOException, InterruptedException {
    var cancelled = 0;
    for (int strike = 0; strike < SMALL_STRIKES; strike++) {
      for (var task : livest(stage)) {
        stage.anyNode().post("/v1/tasks/" + task + "/cancel", Map.of(), 200);
        cancelled++;
      }
      Thread.sleep(SMALL_PAUSE_MILLIS);
    }
    return cancelled;
  }

  /** The task that has run longest, and so is nearest to its end. */
  private static List<String> livest(Scenario.Stage stage) {
    return stage
        .cluster()
        .jdbi()
        .withHandle(handle ->
            handle
                .createQuery(
                    "select 'task_' || replace(id::text, '-', '') from task where state = 'running' order by started_at"
                        + " limit 1")
                .mapTo(String.class)
                .list());
  }

  private static int terminateInTurn(Scenario.Stage stage)
      throws IOException, InterruptedException {
    for (var node : stage.cluster().nodes()) {
      var driven = stage.takeovers().drivenBy(node.pid());
      var from = System.nanoTime();
      var watcher = Thread.ofVirtual().start(() -> stage.takeovers().await(driven, from));
      if (!node.terminate(STOP_LIMIT)) {
        throw new IOException(node.name() + " did not stop within " + STOP_LIMIT);
      }
      watcher.join();
      node.startAgain();
      Cluster.awaitReady(node);
    }
    return stage.cluster().nodes().size();
  }

  private static int restartDatabase(Scenario.Stage stage, Duration away)
      throws IOException, InterruptedException {
    stage.cluster().database().stopAtOnce();
    Thread.sleep(away);
    stage.cluster().database().startAgain();
    var from = System.nanoTime();
    stage.cluster().nodes().forEach(Cluster::awaitReady);
    stage.takeovers().note(from);
    return 1;
  }

  private static int dropHints(Scenario.Stage stage) throws InterruptedException {
    stage.cluster().nodes().forEach(node -> node.wire().dropHints(true));
    Thread.sleep(10_000);
    stage.cluster().nodes().forEach(node -> node.wire().dropHints(false));
    return stage.cluster().nodes().size();
  }

  /** Longer than PostgreSQL lets an idle transaction hold its locks. */
  private static int stopInTransaction(Scenario.Stage stage)
      throws IOException, InterruptedException {
    var victim = stage.anyNode();
    victim.wire().awaitBegin(Duration.ofSeconds(10));
    victim.signal("STOP");
    Thread.sleep(13_000);
    victim.signal("CONT");
    Cluster.awaitReady(victim);
    return 1;
  }

  private static int isolate(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.wire().isolate();
    Thread.sleep(ISOLATION);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  private static int stall(Scenario.Stage stage) throws InterruptedException {
    var victim = stage.anyNode();
    victim.wire().stall();
    Thread.sleep(STALL);
    victim.wire().restore();
    Cluster.awaitReady(victim);
    return 1;
  }

  private static int pauseForTwoLeases(Scenario.Stage stage)
      throws IOException, InterruptedException {
    var victim = stage.anyNode();
    var driven = stage.takeovers().drivenBy(victim.pid());
    var from = System.nanoTime();
    victim.signal("STOP");
    stage.takeovers().await(driven, from);
    var left = TWO_LEASES.minusNanos(System.nanoTime() - from);
    Thread.sleep(left.isNegative() ? Duration.ZERO : left);
    victim.signal("CONT");
    Cluster.awaitReady(victim);
    return 1;
  }

  /** Whoever runs this task dies, until the service gives it up. */
  private static int poison(Scenario.Stage stage) throws IOException, InterruptedException {
    var errand = new Errands("poison-" + UUID.randomUUID(), 0, false, 20_000);
    var answer =
        stage
            .anyNode()
            .post(
                "/v1/tasks",
                Map.of("description", "poison", "prompt", errand.prompt(), "background", true),
                202);
    var task = answer.at("/metadata/task_id").asText().substring("task_".length());
    var killed = 0;
    while (killed < 10 && !ended(stage, task)) {
      for (var node : new ArrayList<>(stage.cluster().nodes())) {
        if (drives(stage, node, task)) {
          node.kill();
          node.startAgain();
          Cluster.awaitReady(node);
          killed++;
        }
      }
      Thread.sleep(50);
    }
    return killed;
  }

  private static boolean ended(Scenario.Stage stage, String task) {
    return exists(
        stage, "select 1 from task where id = :task::uuid and ended_at is not null", task, "");
  }

  private static boolean drives(Scenario.Stage stage, Node node, String task) {
    return exists(
        stage,
        """
        select 1 from task join session on session.id = task.session_id join node on node.id = node_id
        where task.id = :task::uuid and node.name = :name and session.state = 'running'
        """,
        task,
        "pid-" + node.pid());
  }

  private static boolean exists(Scenario.Stage stage, String sql, String task, String name) {
    return stage
        .cluster()
        .jdbi()
        .withHandle(handle ->
            handle
                .createQuery(sql)
                .bindMap(new HashMap<>(Map.of("task", task, "name", name)))
                .mapTo(Integer.class)
                .findFirst()
                .isPresent());
  }

  /** A node that lives in another day decides nothing by its own clock. */
  private static int shiftClock(Scenario.Stage stage) throws IOException, InterruptedException {
    var victim = stage.anyNode();
    var shift = stage.random().nextBoolean() ? "+1d" : "-1d";
    victim.terminate(STOP_LIMIT);
    victim.startAgain(List.of("faketime", "-m", "-f", shift));
    Cluster.awaitReady(victim);
    Thread.sleep(8_000);
    victim.terminate(STOP_LIMIT);
    victim.startAgain();
    Cluster.awaitReady(victim);
    return 2;
  }
}
