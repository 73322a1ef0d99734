package dev.errand.tenant;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The models that a tenant may call, and its credentials for them.
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

  /** Returns the tenant's own credentials for a provider. */
  public Optional<ProviderCredentials> of(String provider) {
    return Optional.ofNullable(providers.get(provider));
  }

  /** Returns whether a model, {@code provider:name}, may be called. */
  public boolean allows(String model) {
    return allowed == null || allowed.stream().anyMatch(name -> matches(name, model));
  }

  private static boolean matches(String name, String model) {
    return name.endsWith("*")
        ? model.startsWith(name.substring(0, name.length() - 1))
        : model.equals(name);
  }
}
