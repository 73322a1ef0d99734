package dev.errand.secret;

import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.eclipse.microprofile.config.Config;

/**
 * Registers the secrets of the configuration and of the environment by their names: the keys of
 * model providers, the password of the database, and whatever else is named like one of them.
 */
@Singleton
class ConfiguredSecrets {

  private static final int BEFORE_ALL_OTHERS = -1000;

  /** How names of secrets end, in properties and in environment variables. */
  private static final Pattern NAME =
      Pattern.compile(
          "(?i).*(password|passwd|secret|[._-]token|credentials?|(api|access|secret|secrets|private|admin|encryption)[._-]?key)\"?");

  /** A password in a JDBC URL. */
  private static final Pattern IN_URL = Pattern.compile("[?&;]password=([^&;]+)");

  /** {@code name=value} pairs of headers for a collector of traces. */
  private static final String HEADERS = "quarkus.otel.exporter.otlp.traces.headers";

  private final Config config;

  ConfiguredSecrets(Config config) {
    this.config = config;
  }

  void register(@Observes @Priority(BEFORE_ALL_OTHERS) StartupEvent start) {
    StreamSupport.stream(config.getPropertyNames().spliterator(), false)
        .filter(name -> NAME.matcher(name).matches())
        .forEach(name -> value(name).ifPresent(Secrets::register));
    System.getenv()
        .forEach((name, value) -> {
          if (NAME.matcher(name).matches()) {
            Secrets.register(value);
          }
        });
    value("quarkus.datasource.jdbc.url")
        .map(IN_URL::matcher)
        .filter(found -> found.find())
        .ifPresent(found -> Secrets.register(found.group(1)));
    value(HEADERS).ifPresent(ConfiguredSecrets::registerHeaders);
  }

  private static void registerHeaders(String headers) {
    for (var header : headers.split(",", -1)) {
      Secrets.register(header.substring(header.indexOf('=') + 1));
    }
  }

  /** Returns a value; empty also when it refers to a property that is not set. */
  private Optional<String> value(String name) {
    try {
      return config.getOptionalValue(name, String.class);
    } catch (NoSuchElementException | IllegalArgumentException unset) {
      return Optional.empty();
    }
  }
}
