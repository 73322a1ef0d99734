package dev.errand.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long single tasks of one tenant wait while another tenant has very many pending ones. The
 * number of runs is small, so that all are taken.
 */
final class Fairness {

  private static final int PENDING = Integer.getInteger("bench.fairness", 10_000);
  private static final int SLOTS = Integer.getInteger("bench.fairness.slots", 8);
  private static final int SAMPLES = 50;
  private static final int PARENTS = 64;
  private static final int MODEL_MS = 200;
  private static final String LEFT =
      "select count(*) from task where tenant = 'many' and state = 'pending'";
  private static final String ADMIN = "err_root_" + "f41r".repeat(16);

  private final Site site;

  Fairness(Site site) {
    this.site = site;
  }

  void measure() throws IOException, InterruptedException {
    waits("alone", 0, 0);
    waits("behind " + PENDING + " pending of another tenant", PENDING, 0);
    waits("behind " + PENDING + " pending of priority 100", PENDING, 100);
  }

  private void waits(String name, int pending, int priority)
      throws IOException, InterruptedException {
    var settings =
        Map.of(
            "ERRAND_AUTH",
            "keys",
            "ERRAND_ADMIN_KEY",
            ADMIN,
            "ERRAND_WORKSPACES_SHARED",
            "true",
            "ERRAND_MAX_CONCURRENT_RUNS",
            Integer.toString(SLOTS));
    try (var service = site.node(settings)) {
      var many = client(service, "many");
      var single = client(service, "single");
      service.actAs(many);
      submit(service, name, pending, priority);
      service.actAs(single);
      var waits = sample(service, name);
      var left =
          service
              .database()
              .withHandle(handle -> handle.createQuery(LEFT).mapTo(Integer.class).one());
      site.report().add("single tasks " + name + ": pending at the end", left);
      site.report().addLatency("single tasks " + name + ": wait", waits);
      site.report().add("single tasks " + name + ": longest wait ms", waits.quantile(1));
    }
  }

  /** Makes a tenant, and returns a key of it. */
  private static String client(BenchService service, String tenant)
      throws IOException, InterruptedException {
    service.actAs(ADMIN);
    service.put("/v1/tenants/" + tenant, Map.of("weight", 1, "max_pending_tasks", 2 * PENDING));
    return service
        .post("/v1/keys", Map.of("name", tenant, "role", "agent", "tenant", tenant))
        .get("key")
        .asText();
  }

  private static void submit(BenchService service, String name, int tasks, int priority)
      throws IOException, InterruptedException {
    var parents = new ArrayList<String>();
    for (int parent = 0; parent < PARENTS && parent < tasks; parent++) {
      parents.add(service.externalParent());
    }
    Throughput.inParallel(
        tasks,
        task ->
            service.post(
                "/v1/tasks", task(parents.get(task % PARENTS), name + "-" + task, priority)));
  }

  private static Map<String, Object> task(String parent, String prompt, int priority) {
    var body = new HashMap<String, Object>();
    body.put("parent_session_id", parent);
    body.put("description", "a task");
    body.put("prompt", "work %s %d".formatted(prompt.replace(' ', '-'), MODEL_MS));
    body.put("background", true);
    body.put("priority", priority);
    return body;
  }

  /** One task at a time, of a parent of its own, from its acceptance to its start. */
  private static Samples sample(BenchService service, String name)
      throws IOException, InterruptedException {
    List<Double> waits = new ArrayList<>();
    for (int sample = 0; sample < SAMPLES; sample++) {
      var body = task(service.externalParent(), name + "-single-" + sample, 0);
      var id = service.post("/v1/tasks", body).at("/metadata/task_id").asText();
      waits.add(service.get("/v1/tasks/" + id + "?wait_ms=20000").get("queue_ms").asDouble());
    }
    return Samples.of(waits);
  }
}
