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
 * A PostgreSQL server of our own beside the service, for people who have none (O5). Its data stay
 * in {@code home/postgres} over restarts; every commit is flushed to disk, as with any other
 * server.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  private static final String USER = "postgres";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** The one of this process; null when another database is used. */
  private static volatile @Nullable EmbeddedDatabase current;

  private final EmbeddedPostgres server;

  private EmbeddedDatabase(EmbeddedPostgres server) {
    this.server = server;
  }

  /**
   * Starts the server on a free port. One left over by a killed process of ours is stopped first:
   * it would go on with the settings it was started with.
   *
   * @throws IllegalStateException another live process uses this folder
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

  /** Stops the server of this process, if there is one. */
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

  /** Stops the server; what was committed is on disk. Twice is once. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
