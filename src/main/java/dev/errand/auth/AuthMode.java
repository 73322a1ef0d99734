package dev.errand.auth;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** How callers are recognised: the setting {@code errand.auth}, by default {@code none}. */
@Singleton
public class AuthMode {

  private enum Mode {
    /** Every caller may do everything. */
    NONE,
    /** A caller needs a key. */
    KEYS,
    /** A caller needs a token of the identity provider, or a key. */
    OIDC
  }

  private final Mode mode;
  private final boolean isSet;

  AuthMode(@ConfigProperty(name = "errand.auth") Optional<String> setting) {
    this.mode = setting.map(AuthMode::parse).orElse(Mode.NONE);
    this.isSet = setting.isPresent();
  }

  private static Mode parse(String setting) {
    return Arrays.stream(Mode.values())
        .filter(mode -> word(mode).equals(setting.strip()))
        .findFirst()
        .orElseThrow(() ->
            new ConfigurationException(
                "ERRAND_AUTH="
                    + setting
                    + " is unknown; allowed values: "
                    + Arrays.stream(Mode.values())
                        .map(AuthMode::word)
                        .collect(Collectors.joining(", "))));
  }

  private static String word(Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  /** Whether callers have to say who they are. */
  public boolean isOn() {
    return mode != Mode.NONE;
  }

  boolean isOidc() {
    return mode == Mode.OIDC;
  }

  /** Whether the operator has chosen the mode, and it is not the default. */
  public boolean isSet() {
    return isSet;
  }
}
