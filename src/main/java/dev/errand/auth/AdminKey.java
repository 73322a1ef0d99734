package dev.errand.auth;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Stores the hash of {@code errand.admin-key} when the service starts. */
@ApplicationScoped
class AdminKey {

  private static final Logger LOG = Logger.getLogger(AdminKey.class);

  private final AuthMode mode;
  private final ApiKeys keys;
  private final Optional<String> setting;

  AdminKey(
      AuthMode mode,
      ApiKeys keys,
      @ConfigProperty(name = "errand.admin-key") Optional<String> setting) {
    this.mode = mode;
    this.keys = keys;
    this.setting = setting;
  }

  void store(@Observes @Priority(-1) StartupEvent start) {
    if (!mode.isOn()) {
      return;
    }
    setting.map(AdminKey::parse).ifPresent(keys::replaceAdminKey);
    if (!mode.isOidc() && keys.isEmpty()) {
      LOG.warn(
          "There is no key, so no client can call; set ERRAND_ADMIN_KEY to make the first one");
    }
  }

  private static BearerSecret parse(String text) {
    return BearerSecret.parse(text.strip())
        .filter(secret -> secret.kind() == BearerSecret.Kind.KEY)
        .orElseThrow(
            () -> new ConfigurationException("ERRAND_ADMIN_KEY must be " + BearerSecret.KEY_FORM));
  }
}
