package dev.errand.postgres;

import io.quarkus.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Connections for Flyway that do not come from the pool. A statement of a migration may take as
 * long as another node waits for it, and so may the transaction that has Flyway's lock. A migration
 * still gives up soon when it waits for a lock of another node, whose statements wait behind it.
 */
@Singleton
class MigrationConnections implements FlywayConfigurationCustomizer {

  private static final String SESSION =
      "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;"
          + " set lock_timeout = '2s'";

  private final DatabaseAddress address;
  private final Duration wait;

  MigrationConnections(
      DatabaseAddress address, @ConfigProperty(name = "errand.db.migration-wait") Duration wait) {
    this.address = address;
    this.wait = wait;
  }

  @Override
  public void customize(FluentConfiguration flyway) {
    try {
      flyway
          .dataSource(address.source(wait))
          .initSql(SESSION)
          .lockRetryCount((int) SchemaMigration.REPORT_EVERY.toSeconds());
    } catch (SQLException fault) {
      throw new IllegalStateException("The connections for migrations could not be set up", fault);
    }
  }
}
