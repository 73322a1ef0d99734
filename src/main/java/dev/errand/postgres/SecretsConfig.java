package dev.errand.postgres;

import io.smallrye.config.ConfigMapping;
import java.util.List;
import java.util.Optional;

/** The keys that encrypt secrets in the database, such as those of callbacks. */
@ConfigMapping(prefix = "errand.secrets")
public interface SecretsConfig {

  /**
   * The key that encrypts: the Base64 of 32 random bytes, as printed by {@code openssl rand -base64
   * 32}. Absent: secrets are stored as they are, and a warning is logged at start. What is stored
   * already is encrypted within 10 min after the start with a new key.
   */
  Optional<String> key();

  /** Further keys that decrypt, such as the previous one. Default none. */
  Optional<List<String>> oldKeys();
}
