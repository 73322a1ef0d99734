package dev.errand.tenant;

import dev.errand.postgres.Json;
import dev.errand.postgres.SecretCipher;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.secret.Secrets;
import dev.errand.tenant.TenantModels.Access;
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

  private record Models(
      boolean ownOnly, @Nullable List<String> allowed, @Nullable Map<String, Stored> providers) {

    private Map<String, Stored> all() {
      return Objects.requireNonNullElse(providers, Map.of());
    }
  }

  /**
   * @param apiKey encrypted
   * @param keyId of the key that encrypts it
   */
  private record Stored(
      @Nullable String apiKey, @Nullable String keyId, @Nullable String baseUrl) {}

  TenantModels read(String tenant, String column) {
    var models = json.read(column, Models.class);
    var providers =
        mapped(models.all(), (provider, stored) -> access(place(tenant, provider), stored));
    return new TenantModels(models.ownOnly(), models.allowed(), providers);
  }

  private Access access(String place, Stored stored) {
    var url = stored.baseUrl() == null ? null : URI.create(stored.baseUrl());
    try {
      return new Access(plain(place, stored), url, null);
    } catch (UnreadableSecret unreadable) {
      return new Access(null, url, unreadable.getMessage());
    }
  }

  private @Nullable String plain(String place, Stored stored) {
    return stored.apiKey() == null
        ? null
        : cipher.decrypt(new SecretCipher.Stored(stored.apiKey(), stored.keyId()), place);
  }

  /**
   * The new value of the column. A key that is {@link Secrets#MASK} is kept as it is stored.
   *
   * @param column the old value
   */
  String written(String tenant, TenantModels models, String column) {
    var old = json.read(column, Models.class).all();
    var providers =
        mapped(
            models.providers(),
            (provider, access) -> stored(place(tenant, provider), access, old.get(provider)));
    return json.write(new Models(models.ownOnly(), models.allowed(), providers));
  }

  private Stored stored(String place, Access access, @Nullable Stored old) {
    var url = access.baseUrl() == null ? null : access.baseUrl().toString();
    if (access.apiKey() == null) {
      return new Stored(null, null, url);
    }
    if (access.apiKey().equals(Secrets.MASK)) {
      var kept = Objects.requireNonNull(old);
      return new Stored(kept.apiKey(), kept.keyId(), url);
    }
    var sealed = cipher.encrypt(access.apiKey(), place);
    return new Stored(sealed.text(), sealed.keyId(), url);
  }

  /** The value of the column with all keys encrypted by the current key; empty if they are. */
  Optional<String> renewed(String tenant, String column) {
    var models = json.read(column, Models.class);
    var renewed =
        mapped(
            models.all(),
            (provider, stored) ->
                isOutdated(stored) ? renewed(place(tenant, provider), stored) : stored);
    return renewed.equals(models.all())
        ? Optional.empty()
        : Optional.of(json.write(new Models(models.ownOnly(), models.allowed(), renewed)));
  }

  private boolean isOutdated(Stored stored) {
    return stored.apiKey() != null
        && !Objects.equals(stored.keyId(), cipher.currentKey().orElse(stored.keyId()))
        && cipher.keys().contains(stored.keyId());
  }

  private Stored renewed(String place, Stored stored) {
    var sealed = cipher.encrypt(Objects.requireNonNull(plain(place, stored)), place);
    return new Stored(sealed.text(), sealed.keyId(), stored.baseUrl());
  }

  /** The additional data of a key. */
  private static String place(String tenant, String provider) {
    return "tenant.models " + tenant + " " + provider;
  }

  private static <A, B> Map<String, B> mapped(Map<String, A> values, BiFunction<String, A, B> f) {
    var mapped = new LinkedHashMap<String, B>();
    values.forEach((name, value) -> mapped.put(name, f.apply(name, value)));
    return mapped;
  }
}
