package dev.errand.bench;

import java.io.IOException;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Many ended tasks. The trees of real tasks are copied in all tables in which tasks leave rows with
 * ids: ids get another beginning, so that copies are older and still sort by time, and times lie in
 * the ten days before.
 */
final class History {

  private static final int PARENTS = 10;
  private static final int TASKS_PER_PARENT = 10;
  private static final int BATCH = 100;

  private static final String TABLES =
      """
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname !~ '^(flyway|jobrunr)' and relname not in ('node', 'api_key', 'session_token')
        and exists (
          select from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
          where indrelid = pg_class.oid and indisprimary and atttypid = 'uuid'::regtype)
      order by relname
      """;

  private static final String COLUMNS =
      """
      select string_agg(quote_ident(attname), ', ' order by attnum) as names,
             string_agg(
               case atttypid
                 when 'uuid'::regtype then format('bench.copied(%1$I, copy)', attname)
                 when 'timestamptz'::regtype
                   then format('%1$I - (:copies - copy) * (interval ''10 days'' / :copies)', attname)
                 else quote_ident(attname)
               end, ', ' order by attnum) as copies
      from pg_attribute
      where attrelid = format('public.%I', :table)::regclass
        and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''
      """;

  private final BenchDatabase database;
  private final int tasks;

  /**
   * @param tasks how many there are to be, about
   */
  History(BenchDatabase database, int tasks) {
    this.database = database;
    this.tasks = tasks;
  }

  /** Makes the real tasks. */
  void make(BenchService service, Throughput load) throws IOException, InterruptedException {
    for (int tree = 0; tree < PARENTS; tree++) {
      var parent = service.externalParent();
      for (int task = 0; task < TASKS_PER_PARENT; task++) {
        var kind = task % 2 == 0 ? "work" : "read";
        service.submit(parent, "%s history-%d-%d %d".formatted(kind, tree, task, task % 2));
      }
      var session = service.post("/v1/sessions", Map.of()).get("id").asText();
      service.post(
          "/v1/sessions/" + session + "/messages", Map.of("text", "delegate h-" + tree + " 0"));
    }
    load.awaitRest();
  }

  /** Copies them, while no node runs. */
  void copy() {
    database.bulk(this::copy);
  }

  private void copy(Handle handle) {
    handle.execute("create schema if not exists bench");
    handle.execute(
        """
        create function bench.copied(id uuid, copy int) returns uuid language sql immutable
        return overlay(id::text placing lpad(to_hex(copy), 8, '0') from 1 for 8)::uuid
        """);
    var made = handle.createQuery("select count(*) from task").mapTo(int.class).one();
    var copies = Math.max(1, tasks / made);
    for (var table : handle.createQuery(TABLES).mapTo(String.class).list()) {
      handle.execute("create table bench.%1$s as select * from public.%1$s".formatted(table));
      var into = insert(handle, table, copies);
      for (int copy = 1; copy <= copies; copy += BATCH) {
        var last = Math.min(copies, copy + BATCH - 1);
        handle.execute(into.formatted(copy, last));
      }
    }
  }

  private static String insert(Handle handle, String table, int copies) {
    var columns =
        handle
            .createQuery(COLUMNS.replace(":copies", Integer.toString(copies)))
            .bind("table", table)
            .mapToMap()
            .one();
    return "insert into public.%1$s (%2$s) select %3$s from bench.%1$s, generate_series(%%d, %%d) copy"
        .formatted(table, columns.get("names"), columns.get("copies"));
  }
}
