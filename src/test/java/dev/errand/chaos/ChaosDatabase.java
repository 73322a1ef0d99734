package dev.errand.chaos;

import dev.errand.kit.Ports;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * The PostgreSQL server that all nodes share. It can be stopped immediately, as by a power failure,
 * and started again.
 */
final class ChaosDatabase implements AutoCloseable {

  private static final int CONNECTIONS = 20;
  private static final Logger SERVER_LOG = Logger.getLogger(EmbeddedPostgres.class.getName());

  private final Path data;
  private final int port;
  private final AgroalDataSource connections;
  private EmbeddedPostgres server;

  ChaosDatabase(Path home) throws IOException {
    this.data = home.resolve("postgres");
    this.port = Ports.free();
    this.server = launch();
    this.connections = connections("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
  }

  /** A connection that was cut by the end of the server is replaced when it is needed again. */
  private static AgroalDataSource connections(String url) {
    try {
      return AgroalDataSource.from(
          new AgroalDataSourceConfigurationSupplier()
              .connectionPoolConfiguration(pool ->
                  pool.maxSize(CONNECTIONS)
                      .validateOnBorrow(true)
                      .connectionValidator(ConnectionValidator.defaultValidator())
                      .connectionFactoryConfiguration(factory ->
                          factory
                              .jdbcUrl(url)
                              .principal(new NamePrincipal("postgres"))
                              .credential(new SimplePassword("")))));
    } catch (SQLException exception) {
      throw new IllegalStateException(exception);
    }
  }

  private EmbeddedPostgres launch() throws IOException {
    return EmbeddedPostgres.builder()
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        .setPort(port)
        .setPGStartupWait(Duration.ofSeconds(180))
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("full_page_writes", "on")
        .setServerConfig("max_connections", "300")
        .setServerConfig("shared_buffers", "128MB")
        .start();
  }

  int port() {
    return port;
  }

  /** Connections that bypass the proxies. */
  Jdbi jdbi() {
    return Jdbi.create(connections);
  }

  /** Stops the server without a checkpoint; the next start recovers what was committed. */
  void stopAtOnce() throws IOException, InterruptedException {
    var pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip());
    Processes.signal("QUIT", pid);
    ProcessHandle.of(pid).ifPresent(postmaster -> postmaster.onExit().join());
  }

  void startAgain() throws IOException {
    // The server has stopped. Closing releases the lock of its directory, and would log an error.
    SERVER_LOG.setLevel(Level.OFF);
    server.close();
    SERVER_LOG.setLevel(null);
    server = launch();
  }

  @Override
  public void close() throws IOException {
    connections.close();
    server.close();
  }
}
