package dev.errand.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;

/** How many tasks per second a node accepts, ends and delivers, and what one of them costs. */
final class Throughput {

  static final int PARENTS = 64;
  private static final int CLIENTS = Integer.getInteger("bench.clients", 32);
  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 1500);
  private static final int TASKS = Integer.getInteger("bench.tasks", 2000);
  private static final int CYCLES = 500;
  private static final long STEP_MS = 20;
  private static final String OPEN =
      """
      select (select count(*) from task where state in ('pending', 'running'))
           + (select count(*) from outbox where state = 'pending')
           + (select count(*) from session where state = 'queued' and queued_at is not null)
           + (select count(*) from session where state = 'running' and node_id is not null)
      """;

  /**
   * Children that did not end in their first run, although nothing interrupted them. Those that
   * waited are left out: an endpoint of which nothing is known is called 50 times a second at
   * first, and the tasks that find no call left wait some milliseconds (model.Pace).
   */
  private static final String CLAIMED_AGAIN =
      """
      select count(*) from session
      where parent_id is not null and epoch > 1
        and not exists (
          select from event
          where session_id = session.id and type = 'session.state' and data ->> 'state' = 'waiting')
      """;

  private final BenchService service;
  private final List<BenchService> nodes;
  private final Jdbi database;
  private final Report report;

  Throughput(BenchService service, Jdbi database, Report report) {
    this(List.of(service), database, report);
  }

  /** Tasks are submitted to all nodes in turn. */
  Throughput(List<BenchService> nodes, Jdbi database, Report report) {
    this.service = nodes.getFirst();
    this.nodes = nodes;
    this.database = database;
    this.report = report;
  }

  /** Background tasks of external parents. */
  void tasks(int round) throws IOException, InterruptedException {
    var rates = rates("task-" + round);
    report.add("background tasks accepted per s", rates.accepted());
    report.add("background tasks ended and delivered per s", rates.ended());
    report.add("children that were claimed more than once", count(CLAIMED_AGAIN));
  }

  /** Tasks per second, from the first request to the last answer and to the last delivery. */
  record Rates(double accepted, double ended) {}

  Rates rates(String name) throws IOException, InterruptedException {
    var parents = parents();
    rates(parents, "warm-" + name, WARM_UP);
    return rates(parents, name, TASKS);
  }

  Rates rates(List<String> parents, String name, int tasks) throws InterruptedException {
    var before = System.nanoTime();
    submitAll(parents, name, tasks);
    var accepted = perSecond(tasks, before);
    awaitRest();
    return new Rates(accepted, perSecond(tasks, before));
  }

  /** Hosted parents: message → parent → child → parent resumed, four model calls. */
  void cycles(int round) throws IOException, InterruptedException {
    var sessions = new ArrayList<String>();
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      sessions.add(service.post("/v1/sessions", Map.of()).get("id").asText());
    }
    var before = System.nanoTime();
    inParallel(
        CYCLES,
        cycle ->
            service.post(
                "/v1/sessions/" + sessions.get(cycle) + "/messages",
                Map.of("text", "delegate cycle-%d-%d 0".formatted(round, cycle))));
    awaitRest();
    report.add("full cycles per s (4 model calls)", perSecond(CYCLES, before));
  }

  List<String> parents() throws IOException, InterruptedException {
    var parents = new ArrayList<String>();
    for (int parent = 0; parent < PARENTS; parent++) {
      parents.add(service.externalParent());
    }
    return parents;
  }

  void submitAll(List<String> parents, String name, int tasks) throws InterruptedException {
    submitAll(parents, name, tasks, 0);
  }

  void submitAll(List<String> parents, String name, int tasks, int modelMillis)
      throws InterruptedException {
    inParallel(
        tasks,
        task ->
            nodes
                .get(task % nodes.size())
                .submit(
                    parents.get(task % parents.size()),
                    "work %s-%d %d".formatted(name, task, modelMillis)));
  }

  /**
   * Waits until every task has ended, every delivery is settled and no session is driven. Reads
   * partial indexes only, however many ended tasks there are.
   */
  void awaitRest() throws InterruptedException {
    while (count(OPEN) > 0) {
      Thread.sleep(STEP_MS);
    }
  }

  private long count(String query) {
    return database.withHandle(handle -> handle.createQuery(query).mapTo(long.class).one());
  }

  static double perSecond(int amount, long since) {
    return amount / ((System.nanoTime() - since) / 1e9);
  }

  /** One request of many. */
  interface Request {
    void send(int number) throws IOException, InterruptedException;
  }

  /** Each client sends its requests one after the other. */
  static void inParallel(int amount, Request request) throws InterruptedException {
    try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
      var sent =
          IntStream.range(0, CLIENTS)
              .<Future<?>>mapToObj(client ->
                  clients.submit(() -> {
                    for (int number = client; number < amount; number += CLIENTS) {
                      request.send(number);
                    }
                    return null;
                  }))
              .toList();
      for (var client : sent) {
        client.get();
      }
    } catch (ExecutionException fault) {
      throw new IllegalStateException("a request failed", fault.getCause());
    }
  }
}
