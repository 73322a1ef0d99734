package dev.errand.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/** How long one task at a time takes on an idle node. */
final class Latencies {

  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 100);
  private static final int TASKS = 300;
  private static final long STEP_MS = 5;

  private final BenchService service;
  private final Model model;
  private final Report report;

  Latencies(BenchService service, Model model, Report report) {
    this.service = service;
    this.model = model;
    this.report = report;
  }

  void measure(int round) throws IOException, InterruptedException {
    submissions(round);
    resumes(round);
  }

  private void submissions(int round) throws IOException, InterruptedException {
    var parent = service.externalParent();
    var acknowledged = new ArrayList<Long>();
    var submittedAt = new HashMap<String, Long>();
    for (int task = -WARM_UP; task < TASKS; task++) {
      var id = "single-%d-%d".formatted(round, task);
      var before = System.nanoTime();
      var accepted = service.submit(parent, "work " + id + " 0");
      if (task >= 0) {
        acknowledged.add(System.nanoTime() - before);
        submittedAt.put(id, before);
      }
      service.get("/v1/tasks/" + accepted + "?wait_ms=20000");
    }
    var marks = model.marks();
    var starts =
        marks.entrySet().stream()
            .filter(mark -> submittedAt.containsKey(mark.getKey()))
            .map(mark -> mark.getValue().asked() - submittedAt.getOrDefault(mark.getKey(), 0L))
            .toList();
    report.addLatency("submit → 202", Samples.ofNanos(acknowledged));
    report.addLatency("submit → child's first model request", Samples.ofNanos(starts));
  }

  private void resumes(int round) throws IOException, InterruptedException {
    for (int task = -WARM_UP; task < TASKS; task++) {
      var id = "resumed-%d-%d".formatted(round, task);
      var session = service.post("/v1/sessions", Map.of()).get("id").asText();
      service.post(
          "/v1/sessions/" + session + "/messages", Map.of("text", "delegate " + id + " 0"));
      while (model.mark(id).resumed() == 0) {
        Thread.sleep(STEP_MS);
      }
    }
    var resumes =
        model.marks().entrySet().stream()
            .filter(mark -> mark.getKey().startsWith("resumed-" + round + "-"))
            .filter(mark -> !mark.getKey().contains("--"))
            .map(mark -> mark.getValue().resumed() - mark.getValue().answered())
            .toList();
    report.addLatency(
        "child's last answer → parent's next model request", Samples.ofNanos(resumes));
  }
}
