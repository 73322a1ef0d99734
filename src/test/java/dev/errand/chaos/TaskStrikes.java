package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What tasks do to each other, to their workers, and what their owners do to them. */
final class TaskStrikes {

  private static final int CANCELS = 60;
  private static final int PARENTS = 60;
  private static final int CHILDREN = 3;
  private static final int MOST_KILLS = 10;
  private static final long PAUSE_MILLIS = 80;
  private static final long POISON_MILLIS = 20_000;

  /** Three leases, unless another time is asked for. */
  private static final Duration LONG_TOOL =
      Duration.ofSeconds(Integer.getInteger("chaos.tool.seconds", 62));

  private static final Duration LIMIT = LONG_TOOL.plusSeconds(60);

  private TaskStrikes() {}

  /** Cancels tasks that may end in the same moment. */
  static int cancelSome(Scenario.Stage stage) throws InterruptedException {
    var cancelled = 0;
    for (int strike = 0; strike < CANCELS; strike++) {
      for (var task : oldestRunning(stage)) {
        cancelled += isCancelled(stage, task) ? 1 : 0;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return cancelled;
  }

  /** A node whose wire was just cut says 503, and that nothing was done. */
  private static boolean isCancelled(Scenario.Stage stage, String task) {
    try {
      stage.anyNode().post("/v1/tasks/" + task + "/cancel", Map.of(), 200);
      return true;
    } catch (IOException unanswered) {
      return false;
    }
  }

  /** The task that has run longest, and so is nearest to its end. */
  private static List<String> oldestRunning(Scenario.Stage stage) {
    return stage
        .cluster()
        .texts(
            """
            select 'task_' || replace(id::text, '-', '') from task where state = 'running'
            order by started_at limit 1
            """);
  }

  /** Children that say their last word when their parent says its own. */
  static int raceWithIdle(Scenario.Stage stage) throws IOException, InterruptedException {
    for (int number = 0; number < PARENTS; number++) {
      var key = stage.key("quick");
      var lines =
          IntStream.range(0, CHILDREN)
              .mapToObj(child -> Errands.quick(key + "-h" + child).prompt())
              .collect(Collectors.joining("\n"));
      var node = stage.anyNode();
      var session = node.post("/v1/sessions", Map.of(), 201).get("id").asText();
      node.post("/v1/sessions/" + session + "/messages", Map.of("text", "delegate\n" + lines), 202);
      Thread.sleep(PAUSE_MILLIS);
    }
    return PARENTS * CHILDREN;
  }

  /** Whoever runs this task dies, until the service gives it up. */
  static int poison(Scenario.Stage stage) throws IOException, InterruptedException {
    var task = stage.submit("poison", POISON_MILLIS);
    var killed = 0;
    while (killed < MOST_KILLS && !ended(stage, task)) {
      for (var node : new ArrayList<>(stage.cluster().nodes())) {
        if (drives(stage, node, task)) {
          node.kill();
          node.startAgain();
          Cluster.awaitReady(node);
          killed++;
        }
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    if (!ended(stage, task)) {
      throw new IOException(task + " killed " + killed + " workers and still lives");
    }
    return killed;
  }

  /** A call that takes longer than its worker's lease is made once, by the worker that began it. */
  static int runLongTool(Scenario.Stage stage) throws IOException {
    var task = stage.submit("long", LONG_TOOL.toMillis());
    await().atMost(LIMIT).pollInterval(Duration.ofMillis(500)).until(() -> ended(stage, task));
    var how =
        stage
            .cluster()
            .texts(
                "select state || ', takeovers ' || takeovers from task where id = ?::uuid", task);
    if (!how.equals(List.of("completed, takeovers 0"))) {
      throw new IOException("the task with the long tool call: " + how);
    }
    return 0;
  }

  private static boolean ended(Scenario.Stage stage, String task) {
    return !stage
        .cluster()
        .texts("select 'x' from task where id = ?::uuid and ended_at is not null", task)
        .isEmpty();
  }

  private static boolean drives(Scenario.Stage stage, Node node, String task) {
    return !stage
        .cluster()
        .texts(
            """
            select 'x' from task
              join session on session.id = task.session_id join node on node.id = node_id
            where task.id = ?::uuid and node.name = ? and session.state = 'running'
            """,
            task,
            "pid-" + node.pid())
        .isEmpty();
  }
}
