package dev.errand.model;

import dev.errand.secret.Secrets;
import dev.errand.setting.HttpUrl;
import dev.errand.setting.Pasted;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.net.URI;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The endpoints and keys of the service, as it calls them. */
final class ServiceEndpoints {

  private final Map<ProviderApi, Configured> all = new EnumMap<>(ProviderApi.class);

  /** The settings of a provider. */
  record Configured(@Nullable URI baseUrl, @Nullable String apiKey) {}

  /**
   * @throws ConfigurationException a base URL or a key cannot be used; the message is one sentence
   *     that names the setting
   */
  ServiceEndpoints(ModelConfig config) {
    add(ProviderApi.OPENAI, config.openai().baseUrl(), config.openai().apiKey());
    add(ProviderApi.ANTHROPIC, config.anthropic().baseUrl(), config.anthropic().apiKey());
    add(ProviderApi.OLLAMA, config.ollama().baseUrl(), Optional.empty());
  }

  Configured of(ProviderApi api) {
    return all.getOrDefault(api, new Configured(null, null));
  }

  private void add(ProviderApi api, Optional<String> baseUrl, Optional<String> apiKey) {
    all.put(
        api,
        new Configured(
            baseUrl
                .filter(url -> !Pasted.plain(url).isEmpty())
                .map(url -> baseUrl(api, url))
                .orElse(null),
            apiKey
                .map(Pasted::plain)
                .filter(key -> !key.isEmpty())
                .map(key -> key(api, key))
                .orElse(null)));
  }

  private static URI baseUrl(ProviderApi api, String url) {
    try {
      return api.base(HttpUrl.read(url));
    } catch (IllegalArgumentException refused) {
      throw new ConfigurationException(setting(api, "base-url") + " " + refused.getMessage());
    }
  }

  /** The key is masked in the form in which it is sent. */
  private static String key(ProviderApi api, String key) {
    Secrets.register(key);
    Pasted.problemOfKey(key)
        .ifPresent(problem -> {
          throw new ConfigurationException(setting(api, "api-key") + " " + problem);
        });
    return key;
  }

  /** Returns the names of a setting: {@code OPENAI_API_KEY (errand.models.openai.api-key)}. */
  private static String setting(ProviderApi api, String property) {
    return "%s_%s (errand.models.%s.%s)"
        .formatted(
            api.name(),
            property.replace('-', '_').toUpperCase(Locale.ROOT),
            api.provider(),
            property);
  }
}
