package dev.errand.tenant;

import dev.errand.secret.Secrets;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The credentials for one provider. They replace those of the service.
 *
 * @param apiKey null: none is sent
 * @param baseUrl null: the base URL of the service
 * @param problem why they cannot be used; null if they can
 */
public record ProviderCredentials(
    @Nullable String apiKey, @Nullable URI baseUrl, @Nullable String problem) {

  /** A key that this process has seen is masked from then on. */
  public ProviderCredentials {
    if (apiKey != null) {
      Secrets.register(apiKey);
    }
  }

  /** Returns whether a key is stored, even if it cannot be decrypted. */
  public boolean hasKey() {
    return apiKey != null || problem != null;
  }

  @Override
  public String toString() {
    return "Access[apiKey=%s, baseUrl=%s]".formatted(apiKey == null ? null : Secrets.MASK, baseUrl);
  }
}
