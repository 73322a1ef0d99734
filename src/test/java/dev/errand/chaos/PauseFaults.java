package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Operators pause what is at work. */
final class PauseFaults {

  private static final int TASKS = Integer.getInteger("chaos.pause.tasks", 200);
  private static final int ADDED = 10;
  private static final long TOOL_MILLIS = 12_000;
  private static final Duration LIMIT = Duration.ofSeconds(180);
  private static final Duration CALM = Duration.ofSeconds(2);

  private static final List<Map<String, String>> PAUSES =
      List.of(
          Map.of("scope", "all", "reason", "night"),
          Map.of("scope", "tenant", "name", "default", "reason", "the bill"),
          Map.of("scope", "agent", "name", "general", "reason", "it runs wild"),
          Map.of("scope", "provider", "name", "openai", "reason", "outage"));

  /** Sessions of the agent that all tasks of this scenario have. */
  private static final String RUNNING =
      "select 'x' from session where state = 'running' and agent = 'general' limit 1";

  private static final String PAUSED =
      "select count(*)::text from session where state = 'waiting' and waits_for = 'pause' and agent = 'general'";

  private static final String ANSWERS =
      """
      select count(*)::text from message join session on session.id = session_id
      where role = 'assistant' and agent = 'general'
      """;

  private static final String NOT_STARTED =
      "select 'x' from task where id = any(?::uuid[]) and started_at is null limit 1";

  private static final String LIVE =
      "select 'x' from task where id = any(?::uuid[]) and ended_at is null limit 1";

  private static final String FAILED =
      """
      select id::text || ' is ' || state || ' ' || coalesce(error_message, '') from task
      where id = any(?::uuid[]) and not (state = 'completed' and result like '%' || substring(description from 8) || '%')
      """;

  private PauseFaults() {}

  /**
   * Every task completes after the pause, except the one that is cancelled in it.
   *
   * @return how many sessions were paused in all pauses
   */
  static int pauseEachScope(Scenario.Stage stage) throws IOException, InterruptedException {
    var paused = 0;
    for (var pause : PAUSES) {
      paused += pause(stage, pause, pause.equals(PAUSES.getFirst()));
    }
    return paused;
  }

  private static int pause(Scenario.Stage stage, Map<String, String> body, boolean kills)
      throws IOException, InterruptedException {
    var tasks = submit(stage, TASKS);
    await().atMost(LIMIT).until(() -> isNone(stage, NOT_STARTED, tasks));
    var path = "/v1/pauses/" + stage.anyNode().post("/v1/pauses", body, 201).get("id").asText();
    int paused;
    try {
      if (kills) {
        var victim = stage.anyNode();
        victim.kill();
        victim.startAgain();
        Cluster.awaitReady(victim);
      }
      tasks.addAll(submit(stage, ADDED));
      paused = pausedInCalm(stage, body);
      var cancelled = "task_" + tasks.removeLast().replace("-", "");
      stage.anyNode().post("/v1/tasks/" + cancelled + "/cancel", Map.of(), 200);
    } finally {
      stage.anyNode().delete(path);
    }
    await().atMost(LIMIT).until(() -> isNone(stage, LIVE, tasks));
    var failed = stage.cluster().texts(FAILED, (Object) tasks.toArray(new String[0]));
    if (!failed.isEmpty()) {
      throw new IOException("after the pause " + body + ": " + failed);
    }
    return paused;
  }

  /** Returns how many sessions are paused when all have stopped, and no model answers any more. */
  private static int pausedInCalm(Scenario.Stage stage, Map<String, String> pause) {
    await().atMost(LIMIT).until(() -> stage.cluster().texts(RUNNING).isEmpty());
    var answers = number(stage, ANSWERS);
    await("no answer during the pause " + pause)
        .during(CALM)
        .atMost(CALM.multipliedBy(2))
        .until(() -> number(stage, ANSWERS) == answers);
    return number(stage, PAUSED);
  }

  private static List<String> submit(Scenario.Stage stage, int count) throws IOException {
    var tasks = new ArrayList<String>();
    for (int number = 0; number < count; number++) {
      tasks.add(stage.submit("paused", TOOL_MILLIS));
    }
    return tasks;
  }

  private static boolean isNone(Scenario.Stage stage, String sql, List<String> tasks) {
    return stage.cluster().texts(sql, (Object) tasks.toArray(new String[0])).isEmpty();
  }

  private static int number(Scenario.Stage stage, String sql) {
    return Integer.parseInt(stage.cluster().texts(sql).getFirst());
  }
}
