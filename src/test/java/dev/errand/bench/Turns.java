package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Sessions with several turns, each with one call of {@code read}. */
final class Turns {

  private static final int SESSIONS = 64;
  private static final int TURNS = 10;
  private static final int LINES = 100;
  private static final String LINE = "A line of the page that the agent reads.\n";

  private final BenchService service;
  private final Throughput load;
  private final Report report;

  Turns(BenchService service, Throughput load, Report report) {
    this.service = service;
    this.load = load;
    this.report = report;
  }

  /** Writes the file that the sessions read. */
  static void prepare(Path workspace) throws IOException {
    Files.writeString(workspace.resolve("page.txt"), LINE.repeat(LINES));
  }

  void measure(int round) throws IOException, InterruptedException {
    var before = System.nanoTime();
    for (int number = 0; number < SESSIONS; number++) {
      var session = service.post("/v1/sessions", Map.of()).get("id").asText();
      var text = "read turns-%d-%d %d".formatted(round, number, TURNS);
      service.post("/v1/sessions/" + session + "/messages", Map.of("text", text));
    }
    load.awaitRest();
    var seconds = (System.nanoTime() - before) / 1e9;
    report.add("turns per s of 64 sessions", SESSIONS * TURNS / seconds);
  }
}
