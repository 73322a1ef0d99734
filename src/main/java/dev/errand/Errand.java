package dev.errand;

import dev.errand.auth.KeyCommand;
import dev.errand.egress.Proxies;
import dev.errand.egress.TrustedCertificates;
import dev.errand.postgres.DatabaseCheck;
import dev.errand.postgres.EmbeddedDatabase;
import io.quarkus.runtime.ApplicationLifecycleManager;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** Starts the service, and an embedded database when no other is configured. */
@QuarkusMain
public class Errand {

  /** A strong reference, because otherwise the log manager forgets the level. */
  private static final Logger EMBEDDED_SERVER_LOG = Logger.getLogger("io.zonky");

  public static void main(String... arguments) {
    orExit(() -> prepareNetwork(ConfigProvider.getConfig()));
    if (arguments.length > 0 && arguments[0].equals("key")) {
      printKey(Arrays.stream(arguments).skip(1).toList());
    } else {
      start(arguments);
    }
  }

  /**
   * Prepares the network before the first client is made, so that all of them trust and use the
   * same.
   */
  private static void prepareNetwork(Config config) {
    TrustedCertificates.install(setting(config, "errand.ca-file"), setting(config, "SSL_CERT_FILE"))
        .ifPresent(System.err::println); // no logging yet
    Proxies.install(name -> setting(config, name));
  }

  private static Optional<String> setting(Config config, String name) {
    return config.getOptionalValue(name, String.class);
  }

  private static void start(String... arguments) {
    EMBEDDED_SERVER_LOG.setLevel(Level.WARNING);
    EarlyStop.begin();
    forgetDatabaseBeforeReload();
    var config = ConfigProvider.getConfig();
    if (config.getOptionalValue("errand.db.url", String.class).isEmpty()) {
      var home = Path.of(config.getOptionalValue("errand.home", String.class).orElse(".errand"));
      orExit(() -> startDatabase(home));
      shortenShutdown(config);
    } else {
      removeLineBreaks(config);
      orExit(() -> DatabaseCheck.check(config));
    }
    startTraces(config);
    startOidc(config);
    Quarkus.run(arguments);
  }

  private static void printKey(List<String> arguments) {
    var printed = new KeyCommand(ConfigProvider.getConfig()).run(arguments);
    (printed.succeeded() ? System.out : System.err).println(printed.text());
    System.exit(printed.succeeded() ? 0 : 1);
  }

  private static void startDatabase(Path home) {
    var database = EmbeddedDatabase.start(home);
    System.setProperty("errand.db.url", database.jdbcUrl());
    System.setProperty("errand.db.user", database.user());
    System.setProperty("errand.db.password", database.password());
    System.setProperty("errand.db.embedded", "true");
    ApplicationLifecycleManager.setDefaultExitCodeHandler((code, _) -> {
      if (LaunchMode.current() != LaunchMode.DEVELOPMENT) {
        database.close();
        System.exit(code);
      }
    });
  }

  /** With an embedded database, there is no load balancer that must notice the stop. */
  private static void shortenShutdown(Config config) {
    if (config.getOptionalValue("errand.shutdown.delay", String.class).isEmpty()) {
      System.setProperty("errand.shutdown.delay", "1S");
    }
  }

  /** Traces are enabled only when an endpoint is configured. */
  private static void startTraces(Config config) {
    var off = config.getOptionalValue("OTEL_SDK_DISABLED", Boolean.class).orElse(false);
    config
        .getOptionalValue("errand.otlp.endpoint", String.class)
        .ifPresent(_ -> System.setProperty("quarkus.otel.sdk.disabled", Boolean.toString(off)));
  }

  /** The identity provider is asked only when its tokens are accepted. */
  private static void startOidc(Config config) {
    if (config.getOptionalValue("errand.auth", String.class).filter("oidc"::equals).isEmpty()) {
      return;
    }
    for (var name : List.of("errand.oidc.issuer", "errand.oidc.audience")) {
      if (config.getOptionalValue(name, String.class).isEmpty()) {
        System.err.println("ERRAND_AUTH=oidc needs the setting " + name); // no logging yet
        System.exit(1);
      }
    }
    System.setProperty("errand.oidc.enabled", "true");
  }

  /** A file with a secret often ends with a line break, which is never a part of these. */
  private static void removeLineBreaks(Config config) {
    for (var name : List.of("errand.db.url", "errand.db.user", "errand.db.password")) {
      config
          .getOptionalValue(name, String.class)
          .filter(value -> value.endsWith("\n"))
          .ifPresent(value -> System.setProperty(name, value.stripTrailing()));
    }
  }

  /** Takes a step of the start. A refusal is printed as a sentence, without a stack trace. */
  private static void orExit(Runnable step) {
    try {
      step.run();
    } catch (IllegalStateException | IllegalArgumentException refused) {
      System.err.println(refused.getMessage()); // logging is not configured yet
      System.exit(1);
    }
  }

  /** A hot reload calls main again in the same process, after its database was stopped. */
  private static void forgetDatabaseBeforeReload() {
    if (Boolean.getBoolean("errand.db.embedded")) {
      Stream.of("errand.db.url", "errand.db.user", "errand.db.password", "errand.db.embedded")
          .forEach(System::clearProperty);
    }
  }
}
