package dev.errand.auth;

import dev.errand.conversation.Word;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The way in which callers are recognised: the setting {@code errand.auth}, by default {@code
 * none}.
 */
@Singleton
public class AuthMode {

  private enum Mode implements Word {
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
    return Word.find(Mode.class, setting.strip())
        .orElseThrow(() ->
            new ConfigurationException(
                "ERRAND_AUTH="
                    + setting
                    + " is unknown; allowed values: "
                    + String.join(", ", Word.words(Mode.class))));
  }

  /** Returns whether callers have to say who they are. */
  public boolean isOn() {
    return mode != Mode.NONE;
  }

  boolean isOidc() {
    return mode == Mode.OIDC;
  }

  /** Returns whether the operator has chosen the mode, and it is not the default. */
  public boolean isSet() {
    return isSet;
  }
}
