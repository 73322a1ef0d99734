package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Large trees in the console. */
class ConsoleSizeIT {

  private static final int EVENTS = 400;
  private static final int EVENTS_PER_SECOND = 50;

  /** Three windows of 900 pixels are full of rows. */
  private static final int ROWS_IN_DOCUMENT = 100;

  /** Scrolls to the end, by this many pixels in each frame, and returns what was seen. */
  private static final String SCROLL =
      """
      const box = document.querySelector('.rows');
      const rows = new Set();
      const frames = [];
      let most = 0;
      let last = performance.now();
      for (;;) {
        const drawn = document.querySelectorAll('.row[id]');
        drawn.forEach(row => rows.add(row.id));
        most = Math.max(most, drawn.length);
        if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) {
          break;
        }
        box.scrollTop += args[0];
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - last);
        last = performance.now();
      }
      frames.sort((one, other) => one - other);
      const share = part => Math.round(frames[Math.floor(frames.length * part)] * 10) / 10;
      return {rows: [...rows], most, frames: frames.length, p50: share(0.5), p95: share(0.95), longest: share(0.999)};
      """;

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    var workspace = Files.createDirectory(folder.resolve("workspace"));
    service =
        Service.start(
            folder.resolve("home"),
            Map.of("ERRAND_MODEL", "offline:planner", "ERRAND_WORKSPACE", workspace.toString()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      service.close();
    }
  }

  @Test
  void everyOfFiveHundredRowsIsReachedWhileFiftyEventsArriveEachSecond() throws Exception {
    var tree = LargeTree.below(service, "five hundred rows");
    var parents = new ArrayList<>(tree.add(12, "general", "running"));
    parents.addAll(tree.add(12, "builder", "running"));
    var rows = new ArrayList<>(parents);
    parents.forEach(parent -> rows.addAll(tree.addBelow(parent, 20, "explore", "running")));
    tree.write();
    var page = open(tree);

    var telling = CompletableFuture.runAsync(() -> tell(tree, rows));
    page.awaitText("nav", "live");
    var seen = page.run(SCROLL, 40);
    telling.join();

    System.out.println("500 rows, 50 events/s: " + withoutRows(seen));
    var expected = new HashSet<String>();
    rows.forEach(row -> expected.add("row-" + row.sessionId()));
    var ids = new HashSet<String>();
    seen.get("rows").forEach(id -> ids.add(id.asText()));
    assertThat(ids).containsAll(expected);
    assertThat(seen.get("most").asInt()).isLessThan(ROWS_IN_DOCUMENT);
    page.run("document.querySelector('.rows').scrollTop = 0;");
    page.awaitText("#row-" + rows.getFirst().sessionId(), "running");
    assertThat(page.run(SCROLL, 400).get("rows").size()).isEqualTo(seen.get("rows").size());
  }

  /** Sessions start to run one after the other, and call their models. */
  private static void tell(LargeTree tree, List<LargeTree.Row> rows) {
    try {
      for (int number = 0; number < EVENTS; number++) {
        var row = rows.get(number / 2 % rows.size());
        if (number % 2 == 0) {
          tree.tell(row, "session.state", "{\"state\": \"running\"}");
        } else {
          tree.tell(
              row, "model.started", "{\"seq\": 2, \"model\": \"offline:planner\", \"attempt\": 1}");
        }
        TimeUnit.MILLISECONDS.sleep(1_000 / EVENTS_PER_SECOND);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static String withoutRows(JsonNode seen) {
    return ((ObjectNode) seen.deepCopy()).without("rows").toString();
  }

  @Test
  void thousandChildrenOfOneAgentAreOneLineWithThoseThatFailedAndRun() throws IOException {
    var tree = LargeTree.below(service, "thousand children");
    tree.add(990, "explore", "completed");
    var failed = tree.add(3, "explore", "failed");
    var live = tree.add(7, "explore", "running");
    tree.write();
    var page = open(tree);

    page.awaitText(".row.fold", "explore × 1000");
    assertThat(page.text(".row.fold")).contains("✓990").contains("✕3").contains("◐7");
    failed.forEach(row -> page.awaitCount("#row-" + row.sessionId(), 1));
    tree.tell(live.getFirst(), "session.state", "{\"state\": \"running\"}");
    page.awaitText("#row-" + live.getFirst().sessionId(), "running");
    assertThat(page.text(".row.fold")).contains("●1").contains("◐6");
    assertThat(page.count(".row")).isLessThan(ROWS_IN_DOCUMENT);
    page.click(".row.fold button");
    page.awaitText(".row.fold", "▾");
    assertThat(page.run(SCROLL, 400).get("rows").size()).isEqualTo(1_002);
  }

  @Test
  void fiveThousandSessionsOpenAndThePageSaysWhatItDoesNotShow() throws IOException {
    var tree = LargeTree.below(service, "five thousand sessions");
    tree.add(5_010, "explore", "completed");
    tree.write();
    var page = open(tree);

    page.awaitText(".row.fold", "explore × 4998");
    page.awaitText(".tools", "the oldest 5000 sessions of a larger tree");
    assertThat(page.count(".row")).isLessThan(ROWS_IN_DOCUMENT);
  }

  private static Browser open(LargeTree tree) {
    var page = CONSOLE.open(service, tree.rootId());
    page.awaitText(".rows", "primary");
    return page;
  }
}
