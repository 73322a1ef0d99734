package dev.errand.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server that the service starts when no other database is configured. The data in
 * {@code home/postgres} survive restarts, and every commit is flushed to disk.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  private static final String USER = "postgres";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** The server of this process; null when another database is configured. */
  private static volatile @Nullable EmbeddedDatabase current;

  private final EmbeddedPostgres server;

  private EmbeddedDatabase(EmbeddedPostgres server) {
    this.server = server;
  }

  /**
   * Starts the server on a free port. A server that a killed service left behind is stopped first,
   * because it would keep its old settings.
   *
   * @throws IllegalStateException another running service uses this directory
   */
  public static EmbeddedDatabase start(Path home) {
    try {
      var data = Files.createDirectories(home.toAbsolutePath().normalize().resolve("postgres"));
      OrphanedServer.stopIn(data);
      var log = home.resolve("postgres.log").toFile();
      var database =
          new EmbeddedDatabase(
              EmbeddedPostgres.builder()
                  .setDataDirectory(data)
                  .setCleanDataDirectory(false)
                  .setRegisterShutdownHook(false)
                  .setPGStartupWait(START_LIMIT)
                  .setOutputRedirector(Redirect.appendTo(log))
                  .setErrorRedirector(Redirect.appendTo(log))
                  .setServerConfig("fsync", "on")
                  .setServerConfig("synchronous_commit", "on")
                  .setServerConfig("full_page_writes", "on")
                  .setServerConfig("listen_addresses", "127.0.0.1")
                  .setServerConfig("max_connections", "200")
                  .setServerConfig("shared_buffers", "128MB")
                  .start());
      current = database;
      return database;
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Stops the server of this process, if it has one. */
  static void stopCurrent() {
    var running = current;
    if (running != null) {
      running.close();
    }
  }

  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
  }

  public String user() {
    return USER;
  }

  /** Stops the server. Idempotent. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
