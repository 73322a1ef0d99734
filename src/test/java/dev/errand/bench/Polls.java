package dev.errand.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.McpClient;
import dev.errand.kit.RawConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What clients of MCP cost that poll their running tasks with {@code tasks/get}. Like Claude Code,
 * they send the head and the body of a request in one packet. Java's own client sends two, which
 * costs the service twice as much.
 */
final class Polls {

  private static final int TASKS = Integer.getInteger("bench.polls", 200);
  private static final long INTERVAL_MS = 5_000;
  private static final int CLIENTS = 8;
  private static final long MODEL_MS = 3_600_000;

  /** Before, as many polls as Java needs to compile what one of them runs. */
  private static final int WARM_UP = 20_000;

  private static final long SETTLE_MS = 20_000;
  private static final long MEASURED_MS = 60_000;

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
    poll(ids, WARM_UP, 0);
    Thread.sleep(SETTLE_MS);
    var start = counters();
    Thread.sleep(MEASURED_MS);
    var without = counters().since(start);
    var before = counters();
    var polls = MEASURED_MS * TASKS / INTERVAL_MS;
    var nanos = poll(ids, polls, MEASURED_MS * 1_000_000 / polls);
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

  private List<String> delegate() throws IOException {
    var ids = new ArrayList<String>();
    try (var connection = new RawConnection(service.port())) {
      for (int number = 0; number < TASKS; number++) {
        var prompt = "work polled-%d %d".formatted(number, MODEL_MS);
        var arguments = Map.of("description", "a task", "prompt", prompt, "timeout_ms", MODEL_MS);
        var params = Map.of("name", "task", "arguments", arguments);
        ids.add(call(connection, "tools/call", params).path("taskId").asText());
      }
    }
    return ids;
  }

  /**
   * Polls the tasks in turn.
   *
   * @param step from one poll to the next, in nanoseconds
   * @return how long each poll took
   */
  private Collection<Long> poll(List<String> ids, long polls, long step)
      throws InterruptedException {
    var nanos = new ConcurrentLinkedQueue<Long>();
    var start = System.nanoTime();
    Throughput.inParallel(
        CLIENTS,
        client -> {
          try (var connection = new RawConnection(service.port())) {
            for (long poll = client; poll < polls; poll += CLIENTS) {
              Thread.sleep(Math.max(0, start + poll * step - System.nanoTime()) / 1_000_000);
              var sent = System.nanoTime();
              poll(connection, ids.get((int) (poll % ids.size())));
              nanos.add(System.nanoTime() - sent);
            }
          }
        });
    return nanos;
  }

  private static void poll(RawConnection connection, String id) throws IOException {
    var task = call(connection, "tasks/get", Map.of("taskId", id));
    if (!task.path("status").asText().equals("working")) {
      throw new IllegalStateException("the task " + id + " does not run: " + task);
    }
  }

  private static JsonNode call(RawConnection connection, String method, Map<String, ?> params)
      throws IOException {
    connection.send(McpClient.withTasks().bytes(method, params));
    return McpClient.answer(connection.read().body()).path("result");
  }
}
