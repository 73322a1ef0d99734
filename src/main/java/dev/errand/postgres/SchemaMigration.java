package dev.errand.postgres;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jboss.logging.Logger;

/**
 * Creates or upgrades the tables before anything reads them. Of several nodes that start at the
 * same time, one migrates and the others wait.
 */
@Singleton
class SchemaMigration {

  /** How often a waiting node says so. Flyway asks for its lock once a second. */
  static final Duration REPORT_EVERY = Duration.ofSeconds(10);

  private static final Logger LOG = Logger.getLogger(SchemaMigration.class);

  private final Flyway flyway;
  private final DatabaseFault fault;
  private final Duration wait;

  /**
   * @param wait how long this node waits for another one that migrates, or for the locks of running
   *     nodes
   */
  SchemaMigration(
      Flyway flyway,
      DatabaseAddress address,
      @ConfigProperty(name = "errand.db.migration-wait") Duration wait) {
    this.flyway = flyway;
    this.fault = new DatabaseFault(address);
    this.wait = wait;
  }

  /**
   * Migrates the database.
   *
   * @throws ConfigurationException it cannot be migrated; the message says why
   */
  void migrate(@Observes @Priority(-3) StartupEvent start) {
    var from = System.nanoTime();
    while (!isMigrated()) {
      var waited = Duration.ofNanos(System.nanoTime() - from);
      if (waited.compareTo(wait) >= 0) {
        throw new ConfigurationException(
            "Another node has not finished the migration of the database within "
                + wait.toSeconds()
                + " s (errand.db.migration-wait); look at its log, or end its session in"
                + " pg_stat_activity");
      }
      LOG.infof(
          "Waiting for another node that migrates the database, since %d s", waited.toSeconds());
    }
  }

  /**
   * Returns whether the tables are as this version needs them; false when another node has the
   * lock.
   */
  private boolean isMigrated() {
    try {
      flyway.migrate();
      return true;
    } catch (FlywayException failed) {
      if (isLocked(failed)) {
        return false;
      }
      throw SqlErrors.in(failed).<RuntimeException>map(this::refusal).orElse(failed);
    }
  }

  /** Flyway has no type for a lock that it did not get. */
  private static boolean isLocked(FlywayException failed) {
    return String.valueOf(failed.getMessage()).startsWith("Number of retries exceeded")
        || SqlErrors.in(failed).filter(sql -> "55P03".equals(sql.getSQLState())).isPresent();
  }

  private ConfigurationException refusal(SQLException failed) {
    return new ConfigurationException(fault.sentence(failed));
  }
}
