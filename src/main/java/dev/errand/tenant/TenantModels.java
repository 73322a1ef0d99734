package dev.errand.tenant;

import dev.errand.secret.Secrets;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which models a tenant may call, and how.
 *
 * @param ownOnly whether it must not use the credentials of the service
 * @param allowed names of models, with {@code *} at the end of any; null: all
 * @param providers its own credentials by provider
 */
public record TenantModels(
    boolean ownOnly, @Nullable List<String> allowed, Map<String, ProviderCredentials> providers) {

  /** All models, with the credentials of the service. */
  public static final TenantModels OF_SERVICE = new TenantModels(false, null, Map.of());

  public TenantModels {
    allowed = allowed == null ? null : List.copyOf(allowed);
    providers = Map.copyOf(providers);
  }

  /**
   * The credentials for one provider. They replace those of the service.
   *
   * @param apiKey null: none is sent
   * @param baseUrl null: the one of the service
   * @param problem why they cannot be used; null if they can
   */
  public record ProviderCredentials(
      @Nullable String apiKey, @Nullable URI baseUrl, @Nullable String problem) {

    /** A key that this process has seen is masked from then on. */
    public ProviderCredentials {
      if (apiKey != null) {
        Secrets.remember(apiKey);
      }
    }

    /** Whether a key is stored, even if it cannot be decrypted. */
    public boolean hasKey() {
      return apiKey != null || problem != null;
    }

    @Override
    public String toString() {
      return "Access[apiKey=%s, baseUrl=%s]"
          .formatted(apiKey == null ? null : Secrets.MASK, baseUrl);
    }
  }

  /** The tenant's own credentials for a provider. */
  public Optional<ProviderCredentials> of(String provider) {
    return Optional.ofNullable(providers.get(provider));
  }

  /** Whether a model, {@code provider:name}, may be called. */
  public boolean allows(String model) {
    return allowed == null || allowed.stream().anyMatch(name -> matches(name, model));
  }

  private static boolean matches(String name, String model) {
    return name.endsWith("*")
        ? model.startsWith(name.substring(0, name.length() - 1))
        : model.equals(name);
  }
}
