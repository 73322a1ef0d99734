package dev.errand.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * The same work written with DBOS, a library for durable functions: {@code
 * src/test/dbos/DbosMain.java}. Its libraries are in the directory {@code bench.dbos}; without them
 * it is not measured.
 */
final class Dbos {

  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 1500);
  private static final int TASKS = Integer.getInteger("bench.tasks", 2000);
  private static final int SINGLE_WARM_UP = 100;
  private static final int SINGLE = 300;
  private static final int PARENTS = 64;
  private static final long STEP_MS = 5;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path libraries = Path.of(System.getProperty("bench.dbos", "target/dbos"));
  private final Site site;
  private String url = "";
  private long submitted;

  Dbos(Site site) {
    this.site = site;
  }

  void measure(int round) throws IOException, InterruptedException {
    if (!Files.isDirectory(libraries)) {
      System.out.println("  DBOS is not measured: there are no libraries in " + libraries);
      return;
    }
    double own;
    try (var database = BenchDatabase.start();
        var node = site.node(database)) {
      own =
          new Throughput(node, database.database(), site.report())
              .rates("beside-dbos-" + round)
              .ended();
      new Latencies(node, site.model(), site.report())
          .submissions(", beside DBOS", "beside-dbos-single-" + round, SINGLE_WARM_UP);
    }
    site.report().add("tasks per s, beside DBOS", own);
    try (var database = BenchDatabase.start()) {
      var program = start(database);
      try {
        var dbos = rate(round);
        site.report().add("DBOS: the same work, tasks per s", dbos);
        site.report().add("tasks per s ÷ DBOS", own / dbos);
        latencies(round);
      } finally {
        program.destroy();
        program.waitFor();
      }
    }
  }

  private Process start(BenchDatabase database) throws IOException {
    var port = Ports.free();
    url = "http://127.0.0.1:" + port;
    var access = database.environment();
    var program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx614m",
                "-cp",
                libraries + "/*",
                "src/test/dbos/DbosMain.java",
                Integer.toString(port),
                "http://127.0.0.1:" + site.model().port(),
                access.get("ERRAND_DB_URL"),
                access.get("ERRAND_DB_USER"),
                access.get("ERRAND_DB_PASSWORD"),
                Integer.toString(PARENTS))
            .directory(Path.of(System.getProperty("bench.sources", ".")).toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    if (!"ready".equals(program.inputReader().readLine())) {
      throw new IllegalStateException("the program with DBOS did not start");
    }
    return program;
  }

  private double rate(int round) throws IOException, InterruptedException {
    submitAll("dbos-warm-" + round, WARM_UP);
    var before = System.nanoTime();
    submitAll("dbos-" + round, TASKS);
    return Throughput.perSecond(TASKS, before);
  }

  private void submitAll(String name, int tasks) throws IOException, InterruptedException {
    Throughput.inParallel(
        tasks, task -> submit(task % PARENTS, "work %s-%d 0".formatted(name, task)));
    submitted += tasks;
    awaitEnded();
  }

  private void latencies(int round) throws IOException, InterruptedException {
    var acknowledged = new ArrayList<Long>();
    var sentAt = new HashMap<String, Long>();
    for (int task = -SINGLE_WARM_UP; task < SINGLE; task++) {
      var id = "dbos-single-%d-%d".formatted(round, task);
      var body = body(0, "work " + id + " 0");
      var before = System.nanoTime();
      BlockingHttp.post(url + "/tasks", body);
      if (task >= 0) {
        acknowledged.add(System.nanoTime() - before);
        sentAt.put(id, before);
      }
      submitted++;
      awaitEnded();
    }
    var starts =
        site.model().marks().entrySet().stream()
            .filter(mark -> sentAt.containsKey(mark.getKey()))
            .map(mark -> mark.getValue().asked() - sentAt.getOrDefault(mark.getKey(), 0L))
            .toList();
    site.report().addLatency("DBOS: submit → 202", Samples.ofNanos(acknowledged));
    site.report().addLatency("DBOS: submit → model request", Samples.ofNanos(starts));
  }

  private void submit(int parent, String prompt) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(url + "/tasks"))
            .POST(BodyPublishers.ofString(body(parent, prompt)))
            .build();
    var answer = http.send(request, BodyHandlers.discarding());
    if (answer.statusCode() != 202) {
      throw new IllegalStateException("DBOS answered " + answer.statusCode());
    }
  }

  private static String body(int parent, String prompt) throws IOException {
    return JSON.writeValueAsString(Map.of("parent", parent, "prompt", prompt));
  }

  /** Until the workflow of each task is completed in the database. */
  private void awaitEnded() throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url + "/ended")).build();
    while (Long.parseLong(http.send(request, BodyHandlers.ofString()).body()) < submitted) {
      Thread.sleep(STEP_MS);
    }
  }
}
