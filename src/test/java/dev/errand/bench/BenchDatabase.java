package dev.errand.bench;

import dev.errand.postgres.EmbeddedDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * A PostgreSQL server with the settings of {@link EmbeddedDatabase} that counts statements.
 * Errand's own role may not read the counters.
 */
final class BenchDatabase implements AutoCloseable {

  private static final String USER = "postgres";

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
