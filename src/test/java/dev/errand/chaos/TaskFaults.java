package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Races between tasks, cancellation, and tasks that kill or outlast their workers. */
final class TaskFaults {

  private static final int RACES = Integer.getInteger("chaos.races", 12);

  private static final int CHILDREN = 3;
  private static final int MAX_KILLS = 10;
  private static final long PAUSE_MILLIS = 80;
  private static final long POISON_MILLIS = 20_000;

  /** Three leases by default. */
  private static final Duration LONG_TOOL =
      Duration.ofSeconds(Integer.getInteger("chaos.tool.seconds", 62));

  private static final Duration LIMIT = LONG_TOOL.plusSeconds(60);

  private TaskFaults() {}

  /** Cancels tasks that may end at the same moment. */
  static int cancelSome(Scenario.Stage stage) throws InterruptedException {
    var cancelled = 0;
    for (int round = 0; round < RACES; round++) {
      for (var task : oldestRunning(stage)) {
        cancelled += isCancelled(stage, task) ? 1 : 0;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return cancelled;
  }

  /**
   * Returns false if the node answers 503 because its connections were just cut; then nothing was
   * cancelled.
   */
  private static boolean isCancelled(Scenario.Stage stage, String task) {
    try {
      stage.anyNode().post("/v1/tasks/" + task + "/cancel", Map.of(), 200);
      return true;
    } catch (IOException exception) {
      return false;
    }
  }

  /** The task that has run longest and is likely to end soon. */
  private static List<String> oldestRunning(Scenario.Stage stage) {
    return stage
        .cluster()
        .texts(
            """
            select 'task_' || replace(id::text, '-', '') from task where state = 'running'
            order by started_at limit 1
            """);
  }

  /**
   * Starts parents and children that give their last answers at the same time, and sends messages
   * to sessions whose run may just end.
   */
  static int raceWithIdle(Scenario.Stage stage) throws IOException, InterruptedException {
    for (int number = 0; number < RACES; number++) {
      var key = stage.key("quick");
      var lines =
          IntStream.range(0, CHILDREN)
              .mapToObj(child -> Errand.quick(key + "-h" + child).prompt())
              .collect(Collectors.joining("\n"));
      var node = stage.anyNode();
      say(node, session(node), "delegate\n" + lines);
      var talk = session(node);
      say(node, talk, "Hello.");
      Thread.sleep(PAUSE_MILLIS);
      say(node, talk, "One more thing.");
    }
    return RACES * (CHILDREN + 1);
  }

  private static String session(Node node) throws IOException {
    return node.postPatiently("/v1/sessions", Map.of(), 201).get("id").asText();
  }

  private static void say(Node node, String session, String text) throws IOException {
    node.postPatiently("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  /** Kills each node that runs this task until the service fails the task. */
  static int poison(Scenario.Stage stage) throws IOException, InterruptedException {
    var task = stage.submit("poison", POISON_MILLIS);
    var killed = 0;
    while (killed < MAX_KILLS && !ended(stage, task)) {
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
      throw new IOException(task + " killed " + killed + " workers and has not ended");
    }
    return killed;
  }

  /**
   * A call that outlasts the lease of its worker is executed once, by the worker that started it.
   */
  static int runLongTool(Scenario.Stage stage) throws IOException {
    var task = stage.submit("long", LONG_TOOL.toMillis());
    await().atMost(LIMIT).pollInterval(Duration.ofMillis(500)).until(() -> ended(stage, task));
    var result =
        stage
            .cluster()
            .texts(
                "select state || ', takeovers ' || takeovers from task where id = ?::uuid", task);
    if (!result.equals(List.of("completed, takeovers 0"))) {
      throw new IOException("the task with the long tool call: " + result);
    }
    return 1;
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
