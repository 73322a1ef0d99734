package dev.errand.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/** How long one task at a time takes on an idle node. */
final class Latencies {

  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 100);
  private static final int TASKS = 300;
  private static final int REST_MS = 60;
  private static final long STEP_MS = 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final BenchService service;
  private final Model model;
  private final Report report;

  Latencies(BenchService service, Model model, Report report) {
    this.service = service;
    this.model = model;
    this.report = report;
  }

  void measure(int round) throws IOException, InterruptedException {
    submissions("", "single-" + round, WARM_UP);
    resumes("resumed-" + round, 0, "");
    resumes("rested-" + round, REST_MS, ", parent at rest");
  }

  /**
   * Measures single tasks.
   *
   * @param suffix appended to the names of the figures
   * @param warmUp the number of tasks that are not measured, before the others
   */
  void submissions(String suffix, String name, int warmUp)
      throws IOException, InterruptedException {
    var parent = service.externalParent();
    var acknowledged = new ArrayList<Long>();
    var submittedAt = new HashMap<String, Long>();
    for (int task = -warmUp; task < TASKS; task++) {
      var id = "%s-%d".formatted(name, task);
      var body = JSON.writeValueAsString(BenchService.task(parent, "work " + id + " 0"));
      var before = System.nanoTime();
      var accepted = BlockingHttp.post(service.url() + "/v1/tasks", body);
      if (task >= 0) {
        acknowledged.add(System.nanoTime() - before);
        submittedAt.put(id, before);
      }
      var started = JSON.readTree(accepted).at("/metadata/task_id").asText();
      service.get("/v1/tasks/" + started + "?wait_ms=20000");
    }
    var marks = model.marks();
    var starts =
        marks.entrySet().stream()
            .filter(mark -> submittedAt.containsKey(mark.getKey()))
            .map(mark -> mark.getValue().asked() - submittedAt.getOrDefault(mark.getKey(), 0L))
            .toList();
    report.addLatency("submit → 202" + suffix, Samples.ofNanos(acknowledged));
    report.addLatency("submit → child's first model request" + suffix, Samples.ofNanos(starts));
  }

  /**
   * Measures how soon a parent has a result.
   *
   * @param childMs how long the child's model takes; with 0, the parent has not ended its own turn
   *     when it answers
   */
  private void resumes(String name, int childMs, String suffix)
      throws IOException, InterruptedException {
    for (int task = -WARM_UP; task < TASKS; task++) {
      var id = "%s-%d".formatted(name, task);
      var session = service.post("/v1/sessions", Map.of()).get("id").asText();
      service.post(
          "/v1/sessions/" + session + "/messages",
          Map.of("text", "delegate %s %d".formatted(id, childMs)));
      while (model.mark(id).resumed() == 0) {
        Thread.sleep(STEP_MS);
      }
    }
    var resumes =
        model.marks().entrySet().stream()
            .filter(mark -> mark.getKey().startsWith(name + "-"))
            .filter(mark -> !mark.getKey().contains("--"))
            .map(mark -> mark.getValue().resumed() - mark.getValue().answered())
            .toList();
    report.addLatency(
        "child's last answer → parent's next model request" + suffix, Samples.ofNanos(resumes));
  }
}
