package dev.errand.bench;

import dev.errand.kit.McpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What clients of MCP cost that poll their running tasks with {@code tasks/get}. */
final class Polls {

  private static final int TASKS = Integer.getInteger("bench.polls", 200);
  private static final long INTERVAL_MS = 5_000;
  private static final int CLIENTS = 8;
  private static final long MODEL_MS = 3_600_000;

  /** Before, as many polls as Java needs to compile what one of them runs. */
  private static final int WARM_UP = 20_000;

  private static final long SETTLE_MS = 20_000;
  private static final long MEASURED_MS = 60_000;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final BenchDatabase database;
  private final BenchService service;
  private final Report report;

  Polls(BenchDatabase database, BenchService service, Report report) {
    this.database = database;
    this.service = service;
    this.report = report;
  }

  void measure() throws IOException, InterruptedException {
    var ids = delegate();
    Throughput.inParallel(WARM_UP, number -> status(ids.get(number % ids.size())));
    Thread.sleep(SETTLE_MS);
    var start = counters();
    Thread.sleep(MEASURED_MS);
    var without = counters().since(start);
    var before = counters();
    var nanos = poll(ids);
    var with = counters().since(before);
    var rate = nanos.size() * 1000.0 / MEASURED_MS;
    var figure = TASKS + " polled tasks: ";
    report.add(figure + "polls per s", rate);
    report.add(figure + "statements per poll", (with.statements() - without.statements()) / rate);
    report.add(figure + "processor % of the service", with.service() - without.service());
    report.add(figure + "processor % of PostgreSQL", with.database() - without.database());
    report.add(figure + "processor % of both", with.processor() - without.processor());
    report.add(figure + "processor % without polls", without.processor());
    report.addLatency(figure + "poll", Samples.ofNanos(nanos));
  }

  private Counters counters() {
    return Counters.of(service, database);
  }

  private List<String> delegate() throws IOException, InterruptedException {
    var ids = new ConcurrentLinkedQueue<String>();
    Throughput.inParallel(
        TASKS,
        number -> {
          var prompt = "work polled-%d %d".formatted(number, MODEL_MS);
          var arguments = Map.of("description", "a task", "prompt", prompt, "timeout_ms", MODEL_MS);
          ids.add(call("tools/call", Map.of("name", "task", "arguments", arguments), "taskId"));
        });
    return List.copyOf(ids);
  }

  /**
   * Polls each task in the interval of a client, all of them evenly.
   *
   * @return how long each poll took
   */
  private Collection<Long> poll(List<String> ids) throws InterruptedException {
    var nanos = new ConcurrentLinkedQueue<Long>();
    var start = System.nanoTime();
    var polls = MEASURED_MS * ids.size() / INTERVAL_MS;
    var step = INTERVAL_MS * 1_000_000 / ids.size();
    Throughput.inParallel(
        CLIENTS,
        client -> {
          for (long poll = client; poll < polls; poll += CLIENTS) {
            Thread.sleep(Math.max(0, start + poll * step - System.nanoTime()) / 1_000_000);
            var id = ids.get((int) (poll % ids.size()));
            var sent = System.nanoTime();
            var status = status(id);
            nanos.add(System.nanoTime() - sent);
            if (!status.equals("working")) {
              throw new IllegalStateException("the task " + id + " is " + status);
            }
          }
        });
    return nanos;
  }

  private String status(String id) throws IOException, InterruptedException {
    return call("tasks/get", Map.of("taskId", id), "status");
  }

  private String call(String method, Map<String, ?> params, String field)
      throws IOException, InterruptedException {
    var server = URI.create(service.url() + "/mcp");
    var request = McpClient.withTasks().request(server, method, params);
    var answer = McpClient.answer(http.send(request, BodyHandlers.ofString()).body());
    return answer.path("result").path(field).asText();
  }
}
