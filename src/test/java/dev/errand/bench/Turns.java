package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sessions with several turns, each with one call of {@code read}. */
final class Turns {

  private static final int SESSIONS = 64;
  private static final int TURNS = 10;
  private static final int LONG_SESSIONS = 4;
  private static final int LATE = 200;
  private static final int AROUND = 5;
  private static final int LINES = 400;
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
    late(round);
  }

  /** One long task after the other, because the time of a turn is measured and not the rate. */
  private void late(int round) throws IOException, InterruptedException {
    var early = new ArrayList<Long>();
    var late = new ArrayList<Long>();
    for (int number = 0; number < LONG_SESSIONS; number++) {
      var id = "long-%d-%d".formatted(round, number);
      service.post(
          "/v1/tasks",
          Map.of(
              "description",
              "a long task",
              "prompt",
              "read %s %d".formatted(id, LATE + AROUND),
              "background",
              true,
              "max_turns",
              LATE + 2 * AROUND));
      load.awaitRest();
      var turns = model.turns(id);
      early.addAll(around(TURNS, turns));
      late.addAll(around(LATE, turns));
    }
    var tenth = Samples.ofNanos(early).median();
    var last = Samples.ofNanos(late).median();
    report.add("turn 10: answer → next request, p50 ms", tenth);
    report.add("turn 200: answer → next request, p50 ms", last);
    report.add("turn 200 ÷ turn 10", last / tenth);
  }

  private static List<Long> around(int turn, List<Long> turns) {
    return turns.subList(turn - AROUND, turn + AROUND - 1);
  }
}
