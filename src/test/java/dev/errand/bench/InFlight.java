package dev.errand.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/** Many child sessions at once whose model takes long: time, memory and connections. */
final class InFlight {

  private static final int TASKS = Integer.getInteger("bench.in-flight", 10_000);
  private static final int MODEL_MS = 5000;
  private static final int WAITING = Integer.getInteger("bench.waiting", 10_000);
  private static final int WAITING_MODEL_MS = 120_000;
  private static final int WAITING_HEAP_MB = Integer.getInteger("bench.waiting.heap", 900);
  private static final long WAITING_RESIDENT_MB = 1_200;
  private static final String TEXT = "x".repeat(Integer.getInteger("bench.waiting.chars", 0));
  private static final int WARM_UP = Integer.getInteger("bench.warm-up", 500);
  private static final long STEP_MS = 250;

  private static final String FAILED =
      "select count(*) from task where state in ('failed', 'timed_out')";

  private final BenchService service;
  private final Model model;
  private final Jdbi database;
  private final Report report;
  private final Throughput load;
  private volatile boolean over;
  private long residentMegabytes;
  private long connections;
  private Waiting mostWithin = new Waiting(0, 0);

  /** Runs that wait for their model, and the memory of the service at that time. */
  private record Waiting(long runs, long residentMegabytes) {}

  InFlight(BenchService service, Model model, Report report) throws IOException {
    this.service = service;
    this.model = model;
    this.database = service.database();
    this.report = report;
    this.load = new Throughput(service, database, report);
  }

  /** How long many tasks take, with the model and the heap of the other parts. */
  void measure(int round) throws IOException, InterruptedException {
    var observer = Thread.ofPlatform().start(this::observe);
    var before = System.nanoTime();
    load.submitAll(load.parents(), "flight-" + round, TASKS, MODEL_MS);
    report.add(TASKS + " in flight: accepted after s", seconds(before));
    awaitCompleted();
    report.add(TASKS + " in flight: ended and delivered after s", seconds(before));
    over = true;
    observer.join();
    report.add(TASKS + " in flight: resident MB", residentMegabytes);
    report.add(TASKS + " in flight: connections", connections);
  }

  /** How many runs wait for their model at once within 1.2 GB. */
  static void waiting(Site site, int round) throws IOException, InterruptedException {
    var workers = Map.of("ERRAND_MAX_CONCURRENT_RUNS", Integer.toString(WAITING));
    try (var node = site.node(WAITING_HEAP_MB, workers)) {
      new InFlight(node, site.model(), site.report()).waiting(round);
    }
  }

  private void waiting(int round) throws IOException, InterruptedException {
    var parents = load.parents();
    load.submitAll(parents, "waiting-warm-" + round, WARM_UP);
    awaitCompleted();
    var residentBefore = BenchProcess.residentMegabytes(service.pid()).orElse(0);
    var liveBefore = BenchProcess.liveBytes(service.pid());
    var observer = Thread.ofPlatform().start(this::observe);
    Throughput.inParallel(
        WAITING,
        number ->
            service.submit(
                parents.get(number % parents.size()),
                "work waiting-%d-%d %d%n%s".formatted(round, number, WAITING_MODEL_MS, TEXT)));
    awaitNoMoreCalls();
    var waiting = model.open();
    var live = BenchProcess.liveBytes(service.pid());
    awaitCompleted();
    over = true;
    observer.join();
    var figure = "runs that wait for their model";
    report.add(figure + ", heap MB", WAITING_HEAP_MB);
    report.add(figure + ": at once within 1,200 resident MB", mostWithin.runs);
    report.add(figure + ": resident MB before", residentBefore);
    report.add(figure + ": resident MB with them", mostWithin.residentMegabytes);
    report.add(figure + ": connections to the database", connections);
    var megabytes = mostWithin.residentMegabytes - residentBefore;
    report.add(figure + ": resident bytes of each", megabytes * 1024.0 * 1024 / mostWithin.runs);
    report.add(figure + ": reachable bytes of each", (double) (live - liveBefore) / waiting);
  }

  /** Until no further run calls its model. */
  private void awaitNoMoreCalls() throws IOException, InterruptedException {
    long before;
    var open = model.open();
    do {
      before = open;
      Thread.sleep(4 * STEP_MS);
      open = model.open();
    } while (open > before);
  }

  private void awaitCompleted() throws InterruptedException {
    load.awaitRest();
    var failed = count(FAILED);
    if (failed > 0) {
      throw new IllegalStateException(failed + " tasks failed");
    }
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private void observe() {
    try {
      while (!over) {
        var now =
            new Waiting(model.open(), BenchProcess.residentMegabytes(service.pid()).orElse(0));
        residentMegabytes = Math.max(residentMegabytes, now.residentMegabytes);
        if (now.residentMegabytes <= WAITING_RESIDENT_MB && now.runs >= mostWithin.runs) {
          mostWithin = now;
        }
        connections = Math.max(connections, connections());
        Thread.sleep(STEP_MS);
      }
    } catch (IOException unanswered) {
      throw new UncheckedIOException(unanswered);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private long connections() {
    return count(
        "select count(*) from pg_stat_activity where usename = 'errand' and application_name <> '"
            + BenchService.NAME
            + "'");
  }

  private long count(String query) {
    return database.withHandle(handle -> handle.createQuery(query).mapTo(long.class).one());
  }
}
