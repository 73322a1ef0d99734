package dev.errand.postgres;

import io.quarkus.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections for Flyway that do not come from the pool. The statements of a migration may take as
 * long as they need, and so may the transaction that holds Flyway's lock. A migration still gives
 * up soon when it waits for a lock of another node, whose statements wait behind it.
 */
@Singleton
class MigrationConnections implements FlywayConfigurationCustomizer {

  private static final String OPTIONS =
      "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=2s";

  private static final int CONNECT_SECONDS = 5;

  /** How long a node waits while another one migrates. Flyway tries once a second. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final String url;
  private final String user;
  private final String password;

  MigrationConnections(
      @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
      @ConfigProperty(name = "quarkus.datasource.username") String user,
      @ConfigProperty(name = "quarkus.datasource.password") Optional<String> password) {
    this.url = url;
    this.user = user;
    this.password = password.orElse("");
  }

  @Override
  public void customize(FluentConfiguration flyway) {
    flyway.dataSource(connections()).lockRetryCount((int) PATIENCE.toSeconds());
  }

  private DataSource connections() {
    var connections = new PGSimpleDataSource();
    connections.setURL(url);
    connections.setUser(user);
    connections.setPassword(password);
    connections.setOptions(OPTIONS);
    connections.setConnectTimeout(CONNECT_SECONDS);
    connections.setTcpKeepAlive(true);
    connections.setLogServerErrorDetail(false);
    return connections;
  }
}
