package dev.errand.postgres;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jdbi.v3.core.Jdbi;

/**
 * Refuses to start on a database that acknowledges a commit before it is on disk, because every
 * guarantee of the service depends on that.
 */
@Singleton
class DurabilityCheck {

  private static final String SETTINGS =
      """
      select string_agg(name || '=' || setting, ', ')
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      """;

  private final Jdbi jdbi;

  DurabilityCheck(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  void check(@Observes @Priority(-3) StartupEvent start) {
    jdbi.withHandle(handle -> handle.createQuery(SETTINGS).mapTo(String.class).findOne())
        .ifPresent(settings -> {
          throw new ConfigurationException(
              "PostgreSQL may lose commits with " + settings + "; turn these on");
        });
  }
}
