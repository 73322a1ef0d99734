package dev.errand.bench;

import dev.errand.postgres.EmbeddedDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * A PostgreSQL server with the settings of {@link EmbeddedDatabase} that counts statements.
 * Errand's own role may not read the counters.
 */
final class BenchDatabase implements AutoCloseable {

  private static final String USER = "postgres";

  private static final String TOP =
      """
      select calls / :tasks::float as calls, plans / :tasks::float as plans, total_plan_time / :tasks as planning,
             total_exec_time / :tasks as ms, rows / calls::float as rows,
             regexp_replace(query, '\\s+', ' ', 'g') as query
      from pg_stat_statements where calls * 10 >= :tasks order by calls desc, total_exec_time desc
      """;

  private final EmbeddedPostgres server;
  private final Jdbi database;

  private BenchDatabase(EmbeddedPostgres server) {
    this.server = server;
    this.database = Jdbi.create(server.getPostgresDatabase());
  }

  static BenchDatabase start() throws IOException {
    var database =
        new BenchDatabase(
            EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("shared_buffers", "128MB")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setServerConfig("pg_stat_statements.track_planning", "on")
                .start());
    database.database.useHandle(handle -> handle.execute("create extension pg_stat_statements"));
    return database;
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
