package dev.errand;

import dev.errand.auth.AuthMode;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Refuses to listen without authentication on an address that other machines can reach, unless that
 * is configured.
 */
@Singleton
class BindAddressCheck {

  private static final Logger LOG = Logger.getLogger(BindAddressCheck.class);

  private final String host;
  private final AuthMode auth;

  BindAddressCheck(@ConfigProperty(name = "quarkus.http.host") String host, AuthMode auth) {
    this.host = host;
    this.auth = auth;
  }

  void check(@Observes @Priority(-3) StartupEvent start) throws UnknownHostException {
    if (auth.isOn() || InetAddress.getByName(host).isLoopbackAddress()) {
      return;
    }
    if (!auth.isSet()) {
      throw new ConfigurationException(
          "ERRAND_HOST="
              + host
              + " can be reached by other machines; set ERRAND_AUTH=keys or oidc to authenticate"
              + " clients, or ERRAND_AUTH=none if every client may do everything");
    }
    LOG.warnf(
        "There is no authentication (ERRAND_AUTH=none), and %s can be reached by other machines:"
            + " every client may do everything",
        host);
  }
}
