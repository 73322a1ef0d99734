package dev.errand.bench;

import java.io.IOException;
import java.util.Map;

/** How fast a node is whose tables contain many ended tasks, and how it reads them. */
final class Aged {

  private static final int TASKS = Integer.getInteger("bench.history", 1_000_000);
  private static final int EXPLAINED = 100;
  private static final long SCHEDULES_MS = 15_000;

  private final Site site;

  Aged(Site site) {
    this.site = site;
  }

  void measure(int round) throws IOException, InterruptedException {
    try (var database = BenchDatabase.start()) {
      var history = new History(database, TASKS);
      double young;
      try (var node = site.node(database)) {
        var load = new Throughput(node, database.database(), site.report());
        young = load.rates("young-" + round).ended();
        history.make(node, load);
      }
      history.copy();
      try (var node = site.node(database)) {
        var load = new Throughput(node, database.database(), site.report());
        var old = load.rates("old-" + round).ended();
        site.report().add("tasks per s with no history", young);
        site.report().add("tasks per s with %,d ended tasks".formatted(TASKS), old);
        site.report().add("with history ÷ without", old / young);
        new Plans(database, site.report()).measure(() -> everything(node, load));
      }
    }
  }

  /** A bit of everything, and long enough for all schedules. */
  private static void everything(BenchService node, Throughput load)
      throws IOException, InterruptedException {
    load.submitAll(load.parents(), "explained", EXPLAINED);
    var session = node.post("/v1/sessions", Map.of()).get("id").asText();
    node.post("/v1/sessions/" + session + "/messages", Map.of("text", "delegate explained 0"));
    load.awaitRest();
    for (var page :
        new String[] {"tasks", "sessions", "deliveries", "tasks?state=failed", "stats"}) {
      node.get("/v1/" + page);
    }
    node.get("/v1/sessions/" + session + "/tasks");
    node.get("/v1/sessions/" + session + "/messages");
    Thread.sleep(SCHEDULES_MS);
  }
}
