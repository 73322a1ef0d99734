package dev.errand.bench;

import dev.errand.postgres.EmbeddedDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A PostgreSQL server with the settings of {@link EmbeddedDatabase} whose administrator the
 * benchmark is: Errand's own role may not read counters and plans.
 */
final class BenchDatabase implements AutoCloseable {

  /** As while an index is built: no row is added to it, and no plan uses it. */
  private static final String SUSPEND_INDEXES =
      """
      update pg_index set indisvalid = false, indisready = false
      from pg_class where pg_class.oid = indrelid and relnamespace = 'public'::regnamespace
      """;

  private static final String USER = "postgres";

  /** An entry that splits its page is part of the record of the split. */
  private static final String WRITES =
      """
      select sum(count) filter (where type ~ '^Heap2?/(INSERT|MULTI_INSERT|UPDATE|HOT_UPDATE|DELETE)') as rows,
             sum(count) filter (where type ~ '^Btree/(INSERT_LEAF|INSERT_POST|SPLIT_)') as entries
      from pg_get_wal_stats(:since::pg_lsn, pg_current_wal_insert_lsn(), true)
        as records ("type", count)
      """;

  private static final String TOP =
      """
      select calls / :tasks::float as calls, plans / :tasks::float as plans, total_plan_time / :tasks as planning,
             total_exec_time / :tasks as ms, rows / calls::float as rows,
             regexp_replace(query, '\\s+', ' ', 'g') as query
      from pg_stat_statements where calls * 10 >= :tasks order by calls desc, total_exec_time desc
      """;

  private final EmbeddedPostgres server;
  private final Path log;
  private final Jdbi database;

  private BenchDatabase(EmbeddedPostgres server, Path log) {
    this.server = server;
    this.log = log;
    this.database = Jdbi.create(server.getPostgresDatabase());
  }

  /** One that counts statements. */
  static BenchDatabase counting() throws IOException {
    var database = start("pg_stat_statements");
    database.database.useHandle(handle -> {
      handle.execute("create extension pg_stat_statements");
      handle.execute("create extension pg_walinspect");
    });
    return database;
  }

  /** One that can log its plans, which it does between two calls of {@link #explain}. */
  static BenchDatabase start() throws IOException {
    return start("auto_explain");
  }

  private static BenchDatabase start(String library) throws IOException {
    var log = Files.createTempFile("errand-bench-postgres", ".log");
    var builder = EmbeddedPostgres.builder();
    EmbeddedDatabase.SETTINGS.forEach(builder::setServerConfig);
    return new BenchDatabase(
        builder
            .setServerConfig("max_connections", "200")
            .setServerConfig("shared_preload_libraries", library)
            .setServerConfig(
                library.equals("auto_explain")
                    ? "auto_explain.log_nested_statements"
                    : "pg_stat_statements.track_planning",
                "on")
            .setOutputRedirector(Redirect.appendTo(log.toFile()))
            .setErrorRedirector(Redirect.appendTo(log.toFile()))
            .start(),
        log);
  }

  Map<String, String> environment() {
    return Map.of(
        "ERRAND_DB_URL",
        "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres",
        "ERRAND_DB_USER",
        USER,
        "ERRAND_DB_PASSWORD",
        USER);
  }

  Jdbi database() {
    return database;
  }

  /** What the server logged. */
  List<String> log() throws IOException {
    return Files.readAllLines(log);
  }

  /** Logs the plan of every statement, as JSON, or of none. */
  void explain(boolean all) {
    set("auto_explain.log_format", "json");
    set("auto_explain.log_min_duration", all ? "0" : "-1");
  }

  /**
   * Writes much without waiting for each commit and without checking foreign keys, then makes it
   * durable, with statistics of it. Indexes are built afterwards; until then, nothing reads them.
   */
  void bulk(Consumer<Handle> work) {
    set("max_wal_size", "8GB");
    set("autovacuum", "off");
    database.useHandle(handle -> {
      handle.execute("set session_replication_role = replica");
      handle.execute("set synchronous_commit = off");
      handle.execute(SUSPEND_INDEXES);
      work.accept(handle);
      handle.execute("set maintenance_work_mem = '1GB'");
      handle.execute("reindex schema public");
      handle.execute("reset all");
      handle.execute("vacuum analyze");
    });
    set("autovacuum", "on");
    set("max_wal_size", "1GB");
    database.useHandle(handle -> handle.execute("checkpoint"));
  }

  private void set(String setting, String value) {
    database.useHandle(handle -> {
      handle.execute("alter system set " + setting + " = '" + value + "'");
      handle.execute("select pg_reload_conf()");
    });
  }

  /**
   * The statements since the last call of {@link #forget()}, the most frequent ones first: calls,
   * plans, milliseconds of planning and of execution per task, rows per call, text.
   */
  List<String> statementsPer(int tasks) {
    return database.withHandle(handle ->
        handle
            .createQuery(TOP)
            .bind("tasks", tasks)
            .map((row, _) ->
                "%8.2f %8.2f %8.3f %8.3f %8.1f  %s"
                    .formatted(
                        row.getDouble("calls"),
                        row.getDouble("plans"),
                        row.getDouble("planning"),
                        row.getDouble("ms"),
                        row.getDouble("rows"),
                        row.getString("query")))
            .list());
  }

  /** Resets the counters of statements. */
  void forget() {
    database.useHandle(handle -> handle.execute("select pg_stat_statements_reset()"));
  }

  /** Statements so far, without those that begin and end transactions. */
  long statements() {
    return count(
        """
        select coalesce(sum(calls), 0) from pg_stat_statements
        where query !~* '^(begin|commit|rollback|set|show)'
        """);
  }

  /** Commits so far. Connections report theirs at most once a second. */
  long commits() {
    return count("select sum(xact_commit) from pg_stat_database");
  }

  /** The place in the write-ahead log up to which all was written. */
  String written() {
    return database.withHandle(handle ->
        handle.createQuery("select pg_current_wal_insert_lsn()::text").mapTo(String.class).one());
  }

  /** What the write-ahead log contains since then. */
  Writes since(String place) {
    return database.withHandle(handle ->
        handle
            .createQuery(WRITES)
            .bind("since", place)
            .map((row, _) -> new Writes(row.getLong("rows"), row.getLong("entries")))
            .one());
  }

  /** Rows that were inserted, updated or deleted, and entries that were added to indexes. */
  record Writes(long rows, long entries) {}

  long processorMillis() {
    var postmaster =
        database.withHandle(handle ->
            handle.createQuery("select pg_read_file('postmaster.pid')").mapTo(String.class).one());
    return BenchProcess.familyMillis(Long.parseLong(postmaster.lines().findFirst().orElseThrow()));
  }

  private long count(String query) {
    return database.withHandle(handle -> handle.createQuery(query).mapTo(long.class).one());
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
