package dev.errand.chaos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Models that are away, and conversations that are longer than their context windows. */
final class ModelFaults {

  private static final int TASKS = 6;
  private static final long TOOL_MILLIS = 200;
  private static final long TRIES = 12;
  private static final int READERS = 4;
  private static final int PAGES = 40;
  private static final int KILLS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(300);

  private ModelFaults() {}

  /** No task fails because its model is away for less than the patience. */
  static int away(Scenario.Stage stage) throws IOException, InterruptedException {
    var tasks = new ArrayList<String>();
    stage.cluster().killModel();
    for (int number = 0; number < TASKS; number++) {
      tasks.add(stage.submit("away", TOOL_MILLIS));
    }
    awaitIncrease(stage, FAILED_TRIES, 0, TRIES);
    stage.cluster().startModel();
    awaitCompleted(stage, tasks);
    return 1;
  }

  /**
   * Kills nodes while conversations are shortened and summarised. Another one begins before each
   * kill, because the earlier ones may end while a node starts.
   */
  static int compact(Scenario.Stage stage) throws IOException, InterruptedException {
    var tasks = new ArrayList<String>();
    for (int number = 1; number < READERS; number++) {
      tasks.add(reader(stage));
    }
    for (int kill = 0; kill < KILLS; kill++) {
      tasks.add(reader(stage));
      awaitIncrease(stage, SHORTENED, number(stage, SHORTENED), 1);
      var victim = stage.anyNode();
      victim.kill();
      victim.startAgain();
      Cluster.awaitReady(victim);
    }
    awaitCompleted(stage, tasks);
    for (var task : tasks) {
      if (one(stage, SUMMARIES, task).equals("0")) {
        throw new IOException("no summary in the conversation of task " + task);
      }
    }
    return KILLS;
  }

  private static String reader(Scenario.Stage stage) throws IOException {
    return stage.submit(Errand.reader(stage.key("reader"), PAGES), LIMIT.toMillis());
  }

  /** The tries of the sessions that wait for the model. */
  private static final String FAILED_TRIES =
      "select coalesce(sum(model_tries), 0)::text from session";

  /** Rises whenever a conversation is shortened. */
  private static final String SHORTENED =
      """
      select ((select count(*) from message where kind = 'summary') + (select sum(stubs_to) from session))::text
      """;

  private static final String SUMMARIES =
      """
      select count(*)::text from message join task on task.session_id = message.session_id
      where task.id = ?::uuid and message.kind = 'summary'
      """;

  /** Each result contains the key, which only the first message of the conversation states. */
  private static final String OUTCOME =
      """
      select case when result like '%' || substring(description from 8) || '%' then '' else 'wrong ' end
        || state || ': ' || coalesce(left(result, 200), '')
      from task where id = ?::uuid and ended_at is not null
      """;

  private static void awaitCompleted(Scenario.Stage stage, List<String> tasks) throws IOException {
    for (var task : tasks) {
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> !stage.cluster().texts(OUTCOME, task).isEmpty());
      var outcome = one(stage, OUTCOME, task);
      if (!outcome.startsWith("completed")) {
        throw new IOException("task " + task + " is " + outcome);
      }
    }
  }

  private static void awaitIncrease(Scenario.Stage stage, String sql, long from, long by) {
    await().atMost(LIMIT).until(() -> number(stage, sql) >= from + by);
  }

  private static long number(Scenario.Stage stage, String sql) {
    return Long.parseLong(stage.cluster().texts(sql).getFirst());
  }

  private static String one(Scenario.Stage stage, String sql, String task) {
    return stage.cluster().texts(sql, task).getFirst();
  }
}
