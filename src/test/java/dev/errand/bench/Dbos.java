package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The same work written with DBOS, a library for durable functions, at each {@link DbosLevel}: the
 * program in {@code src/test/dbos}. Its libraries are in the directory {@code bench.dbos}; without
 * them it is not measured. Each program is measured as soon as it has started, and after a warm-up.
 */
final class Dbos {

  private static final int WARM_UP = Integer.getInteger("bench.dbos.warm-up", 10_000);
  private static final int TASKS = Integer.getInteger("bench.tasks", 2000);
  private static final int SINGLE_WARM_UP = 100;

  /** The tasks of the first of all parents, which a client follows. */
  private static final int FOLLOWED =
      IntStream.of(TASKS, WARM_UP, TASKS)
          .map(tasks -> Math.ceilDiv(tasks, Throughput.PARENTS))
          .sum();

  private static final Set<String> CHANGES =
      Set.of(
          "event: subagent.created",
          "event: subagent.started",
          "event: model.ended",
          "event: subagent.completed",
          "event: delivery.delivered");

  private final Site site;

  Dbos(Site site) {
    this.site = site;
  }

  void measure(int round) throws IOException, InterruptedException {
    if (!Files.isDirectory(DbosProgram.LIBRARIES)) {
      System.out.println(
          "  DBOS is not measured: there are no libraries in " + DbosProgram.LIBRARIES);
      return;
    }
    var own = own(round);
    for (var level : DbosLevel.values()) {
      var dbos = dbos(level, round);
      var name = "DBOS " + level.letter();
      add(name + ": tasks per s", dbos);
      add("tasks per s ÷ " + name, own.dividedBy(dbos));
    }
  }

  /** The client follows the tasks of a parent here, too. */
  private Speeds own(int round) throws IOException, InterruptedException {
    var name = "beside-dbos-" + round;
    try (var database = BenchDatabase.start();
        var node = site.node(database);
        var follower = new Follower(CHANGES)) {
      var throughput = new Throughput(node, database.database(), site.report());
      var parents = throughput.parents();
      follower.follow(node.url() + "/v1/sessions/" + parents.getFirst() + "/events?tree=true");
      var speeds = Speeds.of((part, tasks) -> throughput.rates(parents, part, tasks).ended(), name);
      follower.awaitTasks(FOLLOWED);
      add("tasks per s, beside DBOS", speeds);
      new Latencies(node, site.model(), site.report())
          .submissions(", beside DBOS", name + "-single", SINGLE_WARM_UP);
      return speeds;
    }
  }

  private Speeds dbos(DbosLevel level, int round) throws IOException, InterruptedException {
    var name = "dbos-%s-%d".formatted(level, round);
    try (var database = BenchDatabase.start();
        var program = DbosProgram.start(level, site.model(), database);
        var load = new DbosLoad(program, level)) {
      var speeds = Speeds.of(load::rate, name);
      load.check(FOLLOWED);
      if (level == DbosLevel.BARE) {
        load.latencies(name + "-single", site);
      }
      return speeds;
    }
  }

  private void add(String figure, Speeds speeds) {
    site.report().add(figure + ", cold", speeds.cold());
    site.report().add(figure + ", warm", speeds.warm());
  }

  /** Submits a number of tasks, waits until nothing of them is left, returns tasks per second. */
  private interface Load {
    double rate(String name, int tasks) throws IOException, InterruptedException;
  }

  /** Tasks per second of a program that has just started, and of the same one after the warm-up. */
  private record Speeds(double cold, double warm) {

    static Speeds of(Load load, String name) throws IOException, InterruptedException {
      var cold = load.rate(name + "-cold", TASKS);
      load.rate(name + "-warm-up", WARM_UP);
      return new Speeds(cold, load.rate(name + "-warm", TASKS));
    }

    Speeds dividedBy(Speeds other) {
      return new Speeds(cold / other.cold, warm / other.warm);
    }
  }
}
