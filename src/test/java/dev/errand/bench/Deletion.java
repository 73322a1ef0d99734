package dev.errand.bench;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What it costs to delete trees of sessions next to very many consumed inbox entries. */
final class Deletion {

  private static final int ENTRIES = Integer.getInteger("bench.inbox", 5_000_000);
  private static final int BATCH = 500_000;
  private static final int TASKS = 20_000;
  private static final int TREES = 40;
  private static final long STEP_MS = 5;

  /** Entries of sessions that are not deleted. */
  private static final String CONSUMED =
      """
      insert into inbox (id, session_id, kind, body, created_at, consumed_at)
      select uuidv7(), keep.id, 'message', '{"text": "A message that was read long ago."}', now(), now()
      from (select count(*) as amount from session where parent_id is null) roots
      cross join generate_series(1, :amount) number
      join (select id, row_number() over (order by id desc) as place from session where parent_id is null) keep
        on keep.place = 1 + number % (roots.amount / 2)
      """;

  private static final String OLD_TREES =
      """
      select root_id from session where kind = 'hosted' and depth > 0 group by root_id having count(*) > 1
      order by root_id limit :trees offset :skip
      """;

  private static final List<String> AGE =
      List.of(
          "update session set created_at = created_at - interval '60 days', updated_at = updated_at - interval '60 days' where root_id = any(:roots)",
          "update task set ended_at = ended_at - interval '60 days' where root_session_id = any(:roots)");

  private final Site site;

  Deletion(Site site) {
    this.site = site;
  }

  void measure() throws IOException, InterruptedException {
    try (var database = BenchDatabase.start()) {
      var history = new History(database, TASKS);
      try (var node = site.node(database)) {
        history.make(node, new Throughput(node, database.database(), site.report()));
      }
      history.copy();
      database.bulk(Deletion::consumed);
      try (var node = site.node(database)) {
        deleted(node, database, trees(database, 0));
      }
      var old = trees(database, TREES);
      database
          .database()
          .useHandle(handle ->
              AGE.forEach(
                  age -> handle.createUpdate(age).bindArray("roots", UUID.class, old).execute()));
      try (var _ = site.node(database)) {
        expired(database, old);
      }
    }
  }

  private static void consumed(Handle handle) {
    for (int entries = 0; entries < ENTRIES; entries += BATCH) {
      handle.createUpdate(CONSUMED).bind("amount", Math.min(BATCH, ENTRIES - entries)).execute();
    }
  }

  private static List<UUID> trees(BenchDatabase database, int skip) {
    return database
        .database()
        .withHandle(handle ->
            handle
                .createQuery(OLD_TREES)
                .bind("trees", TREES)
                .bind("skip", skip)
                .mapTo(UUID.class)
                .list());
  }

  private void deleted(BenchService node, BenchDatabase database, List<UUID> roots)
      throws IOException, InterruptedException {
    var sessions = sessions(database, roots);
    var before = System.nanoTime();
    for (var root : roots) {
      node.delete("/v1/sessions/ses_" + root.toString().replace("-", ""));
    }
    report("DELETE of a tree", sessions, System.nanoTime() - before);
    if (sessions(database, roots) > 0) {
      throw new IllegalStateException("not every tree was deleted");
    }
  }

  /** The sweep begins a minute after the start. */
  private void expired(BenchDatabase database, List<UUID> roots) throws InterruptedException {
    var sessions = sessions(database, roots);
    while (sessions(database, roots) == sessions) {
      Thread.sleep(STEP_MS);
    }
    var before = System.nanoTime();
    while (sessions(database, roots) > 0) {
      Thread.sleep(STEP_MS);
    }
    report("retention", sessions, System.nanoTime() - before);
  }

  private void report(String what, long sessions, long nanos) {
    site.report()
        .add(
            "%s, %,d consumed inbox rows: ms per session".formatted(what, ENTRIES),
            nanos / 1e6 / sessions);
  }

  private static long sessions(BenchDatabase database, List<UUID> roots) {
    return database
        .database()
        .withHandle(handle ->
            handle
                .createQuery("select count(*) from session where root_id = any(:roots)")
                .bindArray("roots", UUID.class, roots)
                .mapTo(long.class)
                .one());
  }
}
