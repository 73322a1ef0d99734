package dev.errand.bench;

/** What a node and its database have used until a moment. */
record Counters(
    long nanos, long statements, long commits, long serviceMillis, long databaseMillis) {

  static Counters of(BenchService service, BenchDatabase database) {
    return new Counters(
        System.nanoTime(),
        database.statements(),
        database.commits(),
        BenchProcess.processorMillis(service.pid()),
        database.processorMillis());
  }

  long busyMillis() {
    return serviceMillis + databaseMillis;
  }

  /** What was used since then, for each second. */
  PerSecond since(Counters before) {
    var seconds = (nanos - before.nanos) / 1e9;
    return new PerSecond(
        (statements - before.statements) / seconds,
        (commits - before.commits) / seconds,
        (serviceMillis - before.serviceMillis) / seconds / 10,
        (databaseMillis - before.databaseMillis) / seconds / 10);
  }

  /**
   * @param service of one processor, in %
   * @param database of one processor, in %
   */
  record PerSecond(double statements, double commits, double service, double database) {

    double processor() {
      return service + database;
    }
  }
}
