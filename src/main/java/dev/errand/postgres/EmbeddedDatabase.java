package dev.errand.postgres;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.scheduler.Scheduler;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server that the service starts when no other database is configured. The data in
 * {@code home/postgres} survive restarts, and every commit is flushed to disk. It listens on
 * loopback only, and {@link DatabaseAccess} says who may connect.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  /** The settings on which the durability and the speed of the server depend. */
  public static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("fsync", "on"),
          Map.entry("synchronous_commit", "on"),
          Map.entry("full_page_writes", "on"),
          Map.entry("shared_buffers", "128MB"),
          // Rare checkpoints: after each, the first change of every page is written as a whole.
          Map.entry("checkpoint_timeout", "15min"),
          Map.entry("max_wal_size", "2GB"),
          // An idle server wakes up rarely. Commits write the log themselves, and the background
          // writer writes as many pages at a time as it would in short steps.
          Map.entry("wal_writer_delay", "10s"),
          Map.entry("bgwriter_delay", "2s"),
          Map.entry("bgwriter_lru_maxpages", "1000"),
          // A backend keeps as many weak locks of tables and indexes without shared memory. The
          // statements of one transaction of the service need more than the default of 64.
          Map.entry("max_locks_per_transaction", "256"));

  /** The server's log, in the home. */
  static final String LOG = "postgres.log";

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int LOWEST_PORT = 10_000;
  private static final int PORTS = 10_000;

  /** The server of this process; null when another database is configured. */
  private static volatile @Nullable EmbeddedDatabase current;

  private final EmbeddedPostgres server;
  private final String password;

  private EmbeddedDatabase(EmbeddedPostgres server, String password) {
    this.server = server;
    this.password = password;
  }

  /**
   * Starts the server on a free port. A server that a killed service left behind is stopped first,
   * because it would keep its old settings.
   *
   * @throws IllegalStateException another running service uses this directory, it belongs to
   *     another user, or the server does not start
   */
  public static EmbeddedDatabase start(Path directory) {
    try {
      var home = PrivateHome.open(directory);
      var data = Files.createDirectories(home.resolve("postgres"));
      OrphanedServer.stopIn(data);
      var access = new DatabaseAccess(home);
      access.preparePassword(data);
      var password = access.password();
      var server = configured(home, access).setConnectConfig("password", password);
      var database = new EmbeddedDatabase(started(server, data, home.resolve(LOG)), password);
      current = database;
      return database;
    } catch (IOException fault) {
      throw new IllegalStateException(
          "The directory " + directory + " (ERRAND_HOME) cannot be used: " + fault, fault);
    }
  }

  private static EmbeddedPostgres.Builder configured(Path home, DatabaseAccess access)
      throws IOException {
    var binaries = binaries(home);
    var builder = EmbeddedPostgres.builder();
    SETTINGS.forEach(builder::setServerConfig);
    return builder
        .setCleanDataDirectory(false)
        .setPort(freePort())
        .setRegisterShutdownHook(false)
        .setPGStartupWait(START_LIMIT)
        .setOverrideWorkingDirectory(binaries.toFile())
        // A resolver of its own, because the library remembers a directory for each.
        .setPgBinaryResolver(DefaultPostgresBinaryResolver.INSTANCE::getPgBinary)
        .setDataDirectoryCustomizer(data -> access.close(data.toPath(), newestIn(binaries)))
        .setConnectConfig("user", DatabaseAccess.ROLE)
        .setServerConfig("listen_addresses", "127.0.0.1")
        .setServerConfig("unix_socket_directories", "")
        .setServerConfig("log_error_verbosity", "terse")
        .setServerConfig("max_connections", "50");
  }

  /** The log says why PostgreSQL or the program that creates the data did not start. */
  private static EmbeddedPostgres started(EmbeddedPostgres.Builder server, Path data, Path file)
      throws IOException {
    var log = new ServerLog(PrivateHome.file(file));
    var output = Redirect.appendTo(file.toFile());
    try {
      return server
          .setDataDirectory(data)
          .setOutputRedirector(output)
          .setErrorRedirector(output)
          .start();
    } catch (IllegalStateException | IOException | UncheckedIOException fault) {
      throw new IllegalStateException(
          "The embedded PostgreSQL does not start: "
              + log.reason().orElse(String.valueOf(fault.getMessage()).strip())
              + "; its log is "
              + file
              + ". ERRAND_DB_URL names a database of your own instead",
          fault);
    }
  }

  /**
   * Returns a free port below those that the system assigns by itself: one of these could be taken
   * before the server listens.
   */
  private static int freePort() throws IOException {
    while (true) {
      var port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, LOWEST_PORT + PORTS);
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        continue;
      }
    }
  }

  /**
   * The library unpacks PostgreSQL into a directory that every local user may write, unless it gets
   * another one.
   */
  private static Path binaries(Path home) throws IOException {
    var configured = System.getProperty("ot.epg.working-dir");
    return Files.createDirectories(
        configured == null ? home.resolve("postgres-bin") : Path.of(configured).toAbsolutePath());
  }

  /** The library lets every user write to the directory. */
  private static Path newestIn(Path binaries) {
    try (var versions = Files.list(PrivateHome.close(binaries))) {
      return versions
          .filter(version -> Files.exists(version.resolve("bin/postgres")))
          .max(Comparator.comparing(version -> version.toFile().lastModified()))
          .orElseThrow();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Stops the server of this process, if it has one. */
  private static void stopCurrent() {
    var running = current;
    if (running != null) {
      running.close();
    }
  }

  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
  }

  public String user() {
    return DatabaseAccess.ROLE;
  }

  public String password() {
    return password;
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

  /** Stops the embedded database after everything that writes to it, scheduled jobs included. */
  @Singleton
  static class Shutdown {

    private final Scheduler scheduler;

    Shutdown(Scheduler scheduler) {
      this.scheduler = scheduler;
    }

    void stop(@Observes @Priority(Integer.MAX_VALUE) ShutdownEvent stop) {
      scheduler.pause();
      stopCurrent();
    }
  }
}
