package dev.errand.tenant;

import dev.errand.postgres.Json;
import dev.errand.postgres.SecretCipher;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Converts {@link TenantModels} to and from the column that stores them, with encrypted keys. */
@Singleton
class ModelSecrets {

  private final Json json;
  private final SecretCipher cipher;

  ModelSecrets(Json json, SecretCipher cipher) {
    this.json = json;
    this.cipher = cipher;
  }

  private record StoredModels(
      boolean ownOnly,
      @Nullable List<String> allowed,
      @Nullable Map<String, StoredProvider> providers) {

    private Map<String, StoredProvider> all() {
      return Objects.requireNonNullElse(providers, Map.of());
    }
  }

  /**
   * @param apiKey encrypted
   * @param keyId of the key that encrypts it
   */
  private record StoredProvider(
      @Nullable String apiKey, @Nullable String keyId, @Nullable String baseUrl) {}

  TenantModels read(String tenant, String column) {
    var models = json.read(column, StoredModels.class);
    var providers =
        mapped(models.all(), (provider, stored) -> access(place(tenant, provider), stored));
    return new TenantModels(models.ownOnly(), models.allowed(), providers);
  }

  private ProviderCredentials access(String place, StoredProvider stored) {
    var url = stored.baseUrl() == null ? null : URI.create(stored.baseUrl());
    try {
      return new ProviderCredentials(plain(place, stored), url, null);
    } catch (UnreadableSecret unreadable) {
      return new ProviderCredentials(null, url, unreadable.getMessage());
    }
  }

  private @Nullable String plain(String place, StoredProvider stored) {
    return stored.apiKey() == null
        ? null
        : cipher.decrypt(new SecretCipher.StoredSecret(stored.apiKey(), stored.keyId()), place);
  }

  /**
   * Returns the new value of the column. A key that is {@link Secrets#MASK} is kept as it is
   * stored.
   *
   * @param column the old value
   */
  String written(String tenant, TenantModels models, String column) {
    var old = json.read(column, StoredModels.class).all();
    var providers =
        mapped(
            models.providers(),
            (provider, access) -> stored(place(tenant, provider), access, old.get(provider)));
    return json.write(new StoredModels(models.ownOnly(), models.allowed(), providers));
  }

  private StoredProvider stored(
      String place, ProviderCredentials access, @Nullable StoredProvider old) {
    var url = access.baseUrl() == null ? null : access.baseUrl().toString();
    if (access.apiKey() == null) {
      return new StoredProvider(null, null, url);
    }
    if (access.apiKey().equals(Secrets.MASK)) {
      var kept = Objects.requireNonNull(old);
      return new StoredProvider(kept.apiKey(), kept.keyId(), url);
    }
    var sealed = cipher.encrypt(access.apiKey(), place);
    return new StoredProvider(sealed.text(), sealed.keyId(), url);
  }

  /**
   * Returns the value of the column with all keys encrypted by the current key; empty if they are.
   */
  Optional<String> renewed(String tenant, String column) {
    var models = json.read(column, StoredModels.class);
    var renewed =
        mapped(
            models.all(),
            (provider, stored) ->
                isOutdated(stored) ? renewed(place(tenant, provider), stored) : stored);
    return renewed.equals(models.all())
        ? Optional.empty()
        : Optional.of(json.write(new StoredModels(models.ownOnly(), models.allowed(), renewed)));
  }

  private boolean isOutdated(StoredProvider stored) {
    return stored.apiKey() != null
        && !Objects.equals(stored.keyId(), cipher.currentKey().orElse(stored.keyId()))
        && cipher.keys().contains(stored.keyId());
  }

  private StoredProvider renewed(String place, StoredProvider stored) {
    var sealed = cipher.encrypt(Objects.requireNonNull(plain(place, stored)), place);
    return new StoredProvider(sealed.text(), sealed.keyId(), stored.baseUrl());
  }

  /** Returns the additional data of a key. */
  private static String place(String tenant, String provider) {
    return "tenant.models " + tenant + " " + provider;
  }

  private static <A, B> Map<String, B> mapped(Map<String, A> values, BiFunction<String, A, B> f) {
    var mapped = new LinkedHashMap<String, B>();
    values.forEach((name, value) -> mapped.put(name, f.apply(name, value)));
    return mapped;
  }
}
