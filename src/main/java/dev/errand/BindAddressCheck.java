package dev.errand;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Refuses to listen on an address that other machines can reach, unless that is configured. */
@ApplicationScoped
class BindAddressCheck {

  private final String host;
  private final Optional<String> auth;

  BindAddressCheck(
      @ConfigProperty(name = "quarkus.http.host") String host,
      @ConfigProperty(name = "errand.auth") Optional<String> auth) {
    this.host = host;
    this.auth = auth;
  }

  void check(@Observes @Priority(-3) StartupEvent start) throws UnknownHostException {
    auth.filter(chosen -> !chosen.equals("none"))
        .ifPresent(chosen -> {
          throw new ConfigurationException(
              "ERRAND_AUTH=" + chosen + " is unknown; the only value is none");
        });
    if (auth.isEmpty() && !InetAddress.getByName(host).isLoopbackAddress()) {
      throw new ConfigurationException(
          "ERRAND_HOST="
              + host
              + " can be reached by other machines; set ERRAND_AUTH=none if that is intended");
    }
  }
}
