package dev.errand.bench;

import java.io.IOException;
import java.util.List;

/** One and two nodes on one database, on the same machine. */
final class Nodes {

  private final Site site;

  Nodes(Site site) {
    this.site = site;
  }

  void measure(int round) throws IOException, InterruptedException {
    try (var database = BenchDatabase.counting();
        var first = site.node(database)) {
      var report = site.report();
      var alone = rate(database, List.of(first), "1 node", "one-" + round);
      try (var second = site.node(database)) {
        var both = rate(database, List.of(first, second), "2 nodes", "two-" + round);
        report.add("2 nodes ÷ 1 node", both / alone);
      }
    }
  }

  /** With the processors that the nodes and the database keep busy in the meantime. */
  private double rate(BenchDatabase database, List<BenchService> nodes, String name, String id)
      throws IOException, InterruptedException {
    var load = new Throughput(nodes, database.database(), site.report());
    var before = System.nanoTime();
    var busy = busyMillis(nodes);
    var database0 = database.processorMillis();
    var rate = load.rates(id).ended();
    var millis = (System.nanoTime() - before) / 1e6;
    site.report().add(name + ": tasks per s", rate);
    site.report().add(name + ": processors of the service", (busyMillis(nodes) - busy) / millis);
    site.report()
        .add(
            name + ": processors of PostgreSQL", (database.processorMillis() - database0) / millis);
    return rate;
  }

  private static long busyMillis(List<BenchService> nodes) {
    return nodes.stream().mapToLong(node -> BenchProcess.processorMillis(node.pid())).sum();
  }
}
