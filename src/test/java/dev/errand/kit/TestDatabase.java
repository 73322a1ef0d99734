package dev.errand.kit;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One real PostgreSQL for all {@code @QuarkusTest}s, as durable as the service demands, with
 * sessions far from UTC; found by the service loader. Retries of models are quick.
 */
public final class TestDatabase implements QuarkusTestResourceLifecycleManager {

  /** The JVM's zone wins over this one; the build sets both to the same. */
  public static final String TIME_ZONE = "Pacific/Chatham";

  private static final String OPTIONS =
      "-c statement_timeout=10s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s -c TimeZone="
          + TIME_ZONE;

  private @Nullable EmbeddedPostgres server;

  @Override
  public Map<String, String> start() {
    try {
      server =
          EmbeddedPostgres.builder()
              .setServerConfig("fsync", "on")
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("full_page_writes", "on")
              .setServerConfig("max_connections", "200")
              .start();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
    return Map.of(
        "errand.db.url",
        "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres",
        "errand.db.user",
        "postgres",
        "quarkus.datasource.jdbc.additional-jdbc-properties.options",
        OPTIONS,
        "quarkus.http.test-port",
        "0",
        "errand.model",
        ScriptedModel.NAME,
        "errand.model-retry.first-delay",
        "10ms",
        "quarkus.log.level",
        "WARN",
        "errand.events.keep-alive",
        "300ms",
        "errand.events.write-timeout",
        "3s",
        "errand.events.max-streams",
        "20");
  }

  @Override
  public void stop() {
    if (server != null) {
      try {
        server.close();
      } catch (IOException fault) {
        throw new UncheckedIOException(fault);
      }
    }
  }
}
