package dev.errand.kit;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts one real PostgreSQL for all {@code @QuarkusTest}s and configures the service for tests:
 * short retry delays and high limits. The server has the durability settings that the service
 * requires, and its sessions use a time zone far from UTC. The service loader finds this class.
 */
public final class TestDatabase implements QuarkusTestResourceLifecycleManager {

  /** The time zone of the JVM takes precedence over this one; the build sets both to the same. */
  public static final String TIME_ZONE = "Pacific/Chatham";

  /** The key that encrypts secrets. */
  public static final String SECRETS_KEY = "c2VjcmV0cyBhcmUgZW5jcnlwdGVkIHdpdGggdGhpcyE=";

  /** A key with which the service can only decrypt. */
  public static final String OLD_SECRETS_KEY = "c2VjcmV0cyB3ZXJlIGVuY3J5cHRlZCB3aXRoIHRoaXM=";

  private static final String USER = "postgres";
  private static final String OPTIONS = "-c TimeZone=" + TIME_ZONE;

  private @Nullable Closeable server;
  private boolean startsAtBaseline;

  @Override
  public void setContext(Context context) {
    startsAtBaseline = Baseline.class.getName().equals(context.testProfile());
  }

  @Override
  public Map<String, String> start() {
    var config = new HashMap<>(service());
    config.putAll(webhooks());
    try {
      var url = newDatabase();
      config.putAll(Map.of("errand.db.url", url, "errand.db.user", USER));
      if (startsAtBaseline) {
        Baseline.load(url, USER);
      }
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (SQLException exception) {
      throw new IllegalStateException("the dump of the baseline could not be loaded", exception);
    }
    return config;
  }

  private String newDatabase() throws IOException {
    var database =
        EmbeddedPostgres.builder()
            .setPort(Ports.free())
            .setPGStartupWait(Duration.ofMinutes(2))
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("max_connections", "200")
            .setServerConfig("jit", "off")
            .start();
    server = database;
    return "jdbc:postgresql://127.0.0.1:" + database.getPort() + "/postgres";
  }

  /** Receivers run on this machine; short delays replace hours of waiting. */
  private static Map<String, String> webhooks() {
    return Map.of(
        "errand.webhooks.allow-private",
        "true",
        "errand.webhooks.schedule",
        "0s,50ms,50ms,50ms,50ms",
        "errand.webhooks.total-timeout",
        "10s",
        "errand.webhooks.concurrency-per-host",
        "4");
  }

  /** A secret of the configuration. */
  public static final String SECRET = "canary/of the+configuration=\"7f3a\"";

  private static Map<String, String> service() {
    return Map.ofEntries(
        Map.entry("quarkus.datasource.jdbc.additional-jdbc-properties.options", OPTIONS),
        // A test that looks at a row does not repeat that when a slow disk delays all commits.
        Map.entry("quarkus.datasource.jdbc.acquisition-timeout", "60S"),
        Map.entry("errand.secrets.key", SECRETS_KEY),
        Map.entry("errand.secrets.old-keys", OLD_SECRETS_KEY),
        Map.entry("errand.tenants.private-endpoints", "true"),
        Map.entry("quarkus.http.test-port", "0"),
        Map.entry("errand.model", ScriptedModel.NAME),
        Map.entry("errand.prices.file", "src/test/resources/test-prices.yaml"),
        Map.entry("errand.model-retry.first-delay", "10ms"),
        Map.entry("errand.model-retry.longest-delay", "200ms"),
        Map.entry("errand.models.trial-every", "20ms"),
        Map.entry("errand.agents.dir", AgentFolder.create()),
        Map.entry("errand.agents.plan.max-turns", "12"),
        Map.entry("errand.agents.plan.timeout", "70s"),
        Map.entry("errand.agents.plan.extra-prompt", "Mind the tests."),
        Map.entry("errand.skills.dir", SkillKit.create()),
        // A service deletes folders that its own database does not know.
        Map.entry("errand.worktrees.dir", "target/worktrees-" + ProcessHandle.current().pid()),
        Map.entry("errand.hooks.from-agent-files", "true"),
        Map.entry("errand.models.fallback.\"scripted:overloaded\"", "scripted:spare"),
        Map.entry("errand.models.fallback.\"scripted:untrusted\"", "scripted:spare"),
        Map.entry("errand.models.fallback.\"scripted:broke\"", "scripted:spare"),
        Map.entry("errand.models.fallback.\"scripted:gone\"", "scripted:none,scripted:spare"),
        Map.entry("errand.models.fallback.\"scripted:wide\"", "scripted:narrow"),
        Map.entry("errand.models.fallback.\"scripted:full\"", "single:children,scripted:spare"),
        Map.entry("errand.models.context-tokens.\"scripted:narrow\"", "16000"),
        Map.entry("errand.models.fallback-after", "1s"),
        Map.entry("errand.model-aliases.quick", ScriptedModel.PROVIDER + ":quick"),
        Map.entry("errand.events.keep-alive", "300ms"),
        Map.entry("errand.events.write-timeout", "3s"),
        Map.entry("errand.events.max-streams", "20"),
        Map.entry("errand.http.max-streams-per-client", "18"),
        Map.entry("errand.http.allowed-hosts", "errand.example"),
        Map.entry("errand.http.allowed-origins", "https://app.example,http://localhost:3000"),
        Map.entry("errand.task-retry.first-delay", "10ms"),
        Map.entry("errand.limits.max-delegations", "1000"),
        Map.entry("errand.limits.cap.max-depth", "20"),
        Map.entry("errand.limits.cap.max-delegations", "5000"),
        Map.entry("errand.limits.cap.max-background-tasks", "1000"),
        Map.entry("errand.limits.cap.max-tokens", "1000000000000"),
        Map.entry("errand.limits.max-background-tasks", "500"),
        Map.entry("errand.test.password", SECRET),
        // Another profile need not wait for requests that a test has left open.
        Map.entry("quarkus.shutdown.timeout", "1s"),
        Map.entry("quarkus.log.level", "WARN"));
  }

  @Override
  public void stop() {
    if (server != null) {
      try {
        server.close();
      } catch (IOException exception) {
        throw new UncheckedIOException(exception);
      }
    }
  }
}
