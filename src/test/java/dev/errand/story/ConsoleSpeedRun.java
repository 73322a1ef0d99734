package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the console on a machine that does nothing else, and prints a table. Run by {@code make
 * bench-console}.
 */
class ConsoleSpeedRun {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int ROUNDS = 5;
  private static final int TASKS = 40;
  private static final int IDLE_SECONDS = 20;

  /** Notes when the first rows are drawn, in ms since the page was asked for. */
  private static final String FIRST_ROWS =
      """
      new MutationObserver(() => {
        if (document.querySelector('.row[id]')) {
          requestAnimationFrame(() => { window.firstRows ??= performance.now(); });
        }
      }).observe(document, {childList: true, subtree: true});
      """;

  /** Notes when each row is drawn, in ms since the epoch. */
  private static final String DRAWN =
      """
      window.drawn = {};
      new MutationObserver(() => {
        const rows = [...document.querySelectorAll('.row[id]')].filter(row => !(row.id in window.drawn));
        requestAnimationFrame(() => rows.forEach(row => { window.drawn[row.id] ??= Date.now(); }));
      }).observe(document.body, {childList: true, subtree: true});
      """;

  private static final String OWN_SCRIPTS =
      """
      return performance.getEntriesByType('resource')
          .filter(entry => /assets\\/\\w+\\/[a-z-]+\\.js$/.test(entry.name))
          .reduce((sum, entry) => sum + entry.encodedBodySize, 0);
      """;

  @TempDir Path folder;

  private Service service;

  @BeforeEach
  void start() throws IOException {
    var workspace = Files.createDirectory(folder.resolve("workspace"));
    var environment =
        Map.of("ERRAND_MODEL", "offline:planner", "ERRAND_WORKSPACE", workspace.toString());
    service = Service.start(folder.resolve("home"), environment);
  }

  @AfterEach
  void stop() throws Exception {
    service.close();
  }

  @Test
  void consoleIsFast() throws Exception {
    print("first rows of a tree of 50, new browser, ms", firstRows());
    try (var page = ConsolePage.fresh()) {
      page.resize(1440, 1600, 1);
      var drawn = eventsToPixels(page);
      print("event → row on the screen, p50 ms", part(drawn, 0.5));
      print("event → row on the screen, p95 ms", part(drawn, 0.95));
      print("requests per s of a workspace at rest", idle(page));
      page.open(service.uri("/console/").toString());
      page.awaitText("main", "Needs attention");
      print("own JavaScript, gzip, bytes", page.run(OWN_SCRIPTS).asDouble());
      print("requests per s of the overview", idle(page));
    }
  }

  /** The median of some rounds, each with an empty cache. */
  private double firstRows() throws Exception {
    var tree = LargeTree.below(service, "fifty rows");
    tree.add(20, "general", "completed");
    tree.add(20, "explore", "running");
    tree.add(9, "bash", "failed");
    tree.write();
    var measured = new ArrayList<Double>();
    for (int round = 0; round < ROUNDS; round++) {
      try (var page = ConsolePage.fresh()) {
        page.beforePages(FIRST_ROWS);
        page.open(service.uri("/console/" + tree.rootId()).toString());
        await()
            .atMost(TIMEOUT)
            .until(() -> page.run("return window.firstRows ?? 0;").asDouble() > 0);
        measured.add(page.run("return window.firstRows;").asDouble());
      }
    }
    return part(measured, 0.5);
  }

  /** From the transaction that accepts a task to the frame that shows its row. */
  private List<Double> eventsToPixels(Browser page) throws InterruptedException {
    var root = service.post("/v1/sessions", Map.of("kind", "external"), 201).get("id").asText();
    page.open(service.uri("/console/" + root).toString());
    page.awaitText("nav", "live");
    page.run(DRAWN);
    for (int number = 0; number < TASKS; number++) {
      delegate(root, number);
      TimeUnit.MILLISECONDS.sleep(200);
    }
    page.awaitCount(".row[id]", TASKS + 1);
    var drawn = page.run("return window.drawn;");
    return service
        .get("/v1/sessions/" + root + "/tree")
        .get("tasks")
        .valueStream()
        .map(task -> drawn.get("row-" + task.get("session_id").asText()).asDouble() - millis(task))
        .toList();
  }

  private void delegate(String root, int number) {
    service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id",
            root,
            "description",
            "part " + number,
            "prompt",
            "Find part " + number + ".",
            "subagent_type",
            number % 2 == 0 ? "explore" : "general",
            "background",
            true),
        202);
  }

  private static double millis(JsonNode task) {
    return Instant.parse(task.get("created_at").asText()).toEpochMilli();
  }

  /** Requests that a page sends for each second in which nothing happens. */
  private static double idle(Browser page) throws InterruptedException {
    TimeUnit.SECONDS.sleep(3);
    page.run("performance.clearResourceTimings();");
    TimeUnit.SECONDS.sleep(IDLE_SECONDS);
    var requests = page.run("return performance.getEntriesByType('resource').length;").asDouble();
    return requests / IDLE_SECONDS;
  }

  private static double part(List<Double> values, double share) {
    assertThat(values).isNotEmpty();
    var sorted = values.stream().sorted().toList();
    return sorted.get((int) (share * (sorted.size() - 1)));
  }

  private static void print(String figure, double value) {
    System.out.printf("| %s | %.1f |%n", figure, value);
  }
}
