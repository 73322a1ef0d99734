package dev.errand.model;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigUtils;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * The model of root sessions that name none: {@code errand.model}, by default {@code
 * offline:planner}. A service that other machines can reach does not start without a choice,
 * because its users expect a language model.
 */
@Singleton
public class DefaultModel {

  private static final Logger LOG = Logger.getLogger(DefaultModel.class);
  private static final String PLANNER = "offline:planner";

  private final Optional<String> chosen;
  private final String host;
  private final ModelNames names;

  DefaultModel(
      @ConfigProperty(name = "errand.model") Optional<String> chosen,
      @ConfigProperty(name = "quarkus.http.host") String host,
      ModelNames names) {
    this.chosen = chosen;
    this.host = host;
    this.names = names;
  }

  /** Returns the name as configured; it can be an alias. */
  public String name() {
    return chosen.orElse(PLANNER);
  }

  void check(@Observes @Priority(-3) StartupEvent start) throws UnknownHostException {
    if (chosen.isEmpty() && !InetAddress.getByName(host).isLoopbackAddress()) {
      throw new ConfigurationException(
          "ERRAND_HOST="
              + host
              + " can be reached by other machines, so the model must be chosen: set ERRAND_MODEL,"
              + " for example to anthropic:claude-sonnet-4-5. "
              + PLANNER
              + " follows fixed rules and can only search files");
    }
    if (names.isUnset(name())) {
      throw new ConfigurationException(
          "ERRAND_MODEL=%s: %s"
              .formatted(name(), names.problemWithoutSession(name()).orElseThrow()));
    }
    if (names.resolve(name()).equals(PLANNER) && ConfigUtils.getProfiles().contains("prod")) {
      LOG.warn(
          "The default model is "
              + PLANNER
              + ": it follows fixed rules and can only search files."
              + " Set ERRAND_MODEL to a language model, for example anthropic:claude-sonnet-4-5");
    }
  }
}
