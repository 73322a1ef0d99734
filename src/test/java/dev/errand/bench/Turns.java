package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;

/** Sessions with many turns, each with one call of {@code read}. */
final class Turns {

  private static final int SESSIONS = 64;
  private static final int TURNS = 10;
  private static final int LONG_TURNS = 205;
  private static final int EARLY_TURN = 10;
  private static final int LATE_TURN = 200;
  private static final int AROUND = 5;
  private static final String LINE = "A line of the page that the agent reads.\n";

  private final BenchService service;
  private final Model model;
  private final Throughput load;
  private final Report report;

  Turns(BenchService service, Model model, Throughput load, Report report) {
    this.service = service;
    this.model = model;
    this.load = load;
    this.report = report;
  }

  /** Writes the file that the sessions read. */
  static void prepare(Path workspace) throws IOException {
    Files.writeString(workspace.resolve("page.txt"), LINE.repeat(LONG_TURNS + 50));
  }

  void measure(int round) throws IOException, InterruptedException {
    var before = System.nanoTime();
    for (int session = 0; session < SESSIONS; session++) {
      converse("turns-%d-%d".formatted(round, session), TURNS);
    }
    load.awaitRest();
    report.add("turns per s of 64 sessions", SESSIONS * TURNS / ((System.nanoTime() - before) / 1e9));
    var id = "long-" + round;
    converse(id, LONG_TURNS);
    load.awaitRest();
    var turns = model.marks().get(id).turns();
    report.add("time of turn 200 ÷ turn 10", around(turns, LATE_TURN) / around(turns, EARLY_TURN));
  }

  private void converse(String id, int turns) throws IOException, InterruptedException {
    var session = service.post("/v1/sessions", Map.of()).get("id").asText();
    service.post(
        "/v1/sessions/" + session + "/messages", Map.of("text", "read %s %d".formatted(id, turns)));
  }

  /** The median of the times, from an answer to the next request, of the turns around this one. */
  private static double around(long[] turns, int turn) {
    var times = new ArrayList<Long>();
    for (int each = turn - AROUND; each < turn + AROUND; each++) {
      times.add(turns[2 * each + 2] - turns[2 * each + 1]);
    }
    return Samples.ofNanos(times).median();
  }
}
