package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * Very many parents that wait for foreground children. The endpoint of the children takes no calls,
 * so that they wait, too.
 */
final class Parked {

  private static final int PARENTS = Integer.getInteger("bench.parked", 20_000);
  private static final int FIRST = 500;
  private static final long STEP_MS = 100;
  private static final long SETTLE_MS = 3000;

  private static final String WAITER =
      """
      ---
      name: waiter
      description: Waits for its model.
      timeoutMs: 86400000
      model: anthropic:away
      ---
      {task_description}
      """;

  private static final String WAITING =
      """
      select count(*) from session parent where state = 'waiting' and depth = 0
        and not exists (select 1 from session where state in ('queued', 'running'))
      """;

  private final Site site;

  Parked(Site site) {
    this.site = site;
  }

  void measure(int round) throws IOException, InterruptedException {
    var agents = Files.createTempDirectory("errand-bench-agents");
    Files.writeString(agents.resolve("waiter.md"), WAITER);
    var more =
        Map.of(
            "ERRAND_AGENTS_DIR",
            agents.toString(),
            "ANTHROPIC_API_KEY",
            "sk-bench",
            "ANTHROPIC_BASE_URL",
            "http://127.0.0.1:" + site.model().port(),
            "ERRAND_MODELS_PATIENCE",
            "24h",
            "ERRAND_LIMITS_MAX_PENDING",
            Integer.toString(FIRST + PARENTS));
    try (var node = site.node(more)) {
      var database = node.database();
      park(node, database, "first-" + round, FIRST, FIRST);
      var before = Memory.of(node);
      park(node, database, "parked-" + round, PARENTS, FIRST + PARENTS);
      var after = Memory.of(node);
      var figure = "%,d parents parked: ".formatted(PARENTS);
      var report = site.report();
      report.add(figure + "threads before", before.threads);
      report.add(figure + "threads", after.threads);
      report.add(figure + "live heap MB before", before.live / 1e6);
      report.add(figure + "live heap MB", after.live / 1e6);
      report.add(figure + "resident MB before", before.residentMegabytes);
      report.add(figure + "resident MB", after.residentMegabytes);
      report.add(figure + "live bytes per parent", (double) (after.live - before.live) / PARENTS);
    }
  }

  private record Memory(long threads, long live, long residentMegabytes) {

    private static Memory of(BenchService node) throws IOException, InterruptedException {
      Thread.sleep(SETTLE_MS);
      return new Memory(
          BenchProcess.threads(node.pid()).orElse(0),
          BenchProcess.liveBytes(node.pid()),
          BenchProcess.residentMegabytes(node.pid()).orElse(0));
    }
  }

  private static void park(BenchService node, Jdbi database, String name, int amount, int total)
      throws InterruptedException {
    Throughput.inParallel(
        amount,
        number -> {
          var session = node.post("/v1/sessions", Map.of()).get("id").asText();
          var text = "park %s-%d 0".formatted(name, number);
          node.post("/v1/sessions/" + session + "/messages", Map.of("text", text));
        });
    while (waiting(database) < total) {
      Thread.sleep(STEP_MS);
    }
  }

  private static long waiting(Jdbi database) {
    return database.withHandle(handle -> handle.createQuery(WAITING).mapTo(long.class).one());
  }
}
