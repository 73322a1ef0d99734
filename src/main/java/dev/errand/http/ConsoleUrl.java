package dev.errand.http;

import dev.errand.setting.HttpUrl;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.vertx.http.HttpServerStart;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** The address of the console, {@code errand.console.url}, as people reach it. */
@Singleton
public class ConsoleUrl {

  private static final Logger LOG = Logger.getLogger(ConsoleUrl.class);

  private final Optional<String> url;

  ConsoleUrl(@ConfigProperty(name = "errand.console.url") Optional<String> url) {
    this.url = url.map(ConsoleUrl::read);
  }

  private static String read(String text) {
    try {
      var url = HttpUrl.read(text);
      if (url.getRawQuery() != null) {
        throw new IllegalArgumentException("must not have a query ('?' and what follows)");
      }
      return url.toString().replaceAll("/+$", "");
    } catch (IllegalArgumentException refused) {
      throw new ConfigurationException(
          "ERRAND_CONSOLE_URL (errand.console.url) " + refused.getMessage());
    }
  }

  void check(@Observes @Priority(-3) StartupEvent start) {
    // The constructor has read the setting.
  }

  void listening(@ObservesAsync HttpServerStart start) {
    url.ifPresent(address -> LOG.infof("The console is at %s/", address));
  }

  /**
   * Returns the address of the page that shows a session or a task; empty when the address of the
   * console is not configured.
   *
   * @param id in the form of the API
   */
  public Optional<String> page(Object id) {
    return url.map(address -> address + "/" + id);
  }
}
