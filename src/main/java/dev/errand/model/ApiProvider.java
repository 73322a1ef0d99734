package dev.errand.model;

import dev.errand.model.Dialect.CalledModel;
import dev.errand.tenant.ProviderCredentials;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A provider that is called by its API. */
final class ApiProvider implements ModelProvider {

  private final ProviderApi api;
  private final ModelConfig config;
  private final ModelHttp http;
  private final ContextWindows windows;
  private final @Nullable ProviderCredentials own;

  ApiProvider(ProviderApi api, ModelConfig config, ModelHttp http, ContextWindows windows) {
    this(api, config, http, windows, null);
  }

  private ApiProvider(
      ProviderApi api,
      ModelConfig config,
      ModelHttp http,
      ContextWindows windows,
      @Nullable ProviderCredentials own) {
    this.api = api;
    this.config = config;
    this.http = http;
    this.windows = windows;
    this.own = own;
  }

  @Override
  public String name() {
    return api.provider();
  }

  @Override
  public boolean usesCredentials() {
    return true;
  }

  @Override
  public ModelProvider with(ProviderCredentials access) {
    return new ApiProvider(api, config, http, windows, access);
  }

  @Override
  public Optional<String> problem(String model) {
    if (own == null) {
      var configured = http.configured(api);
      return api.problem(configured.apiKey() != null, configured.baseUrl() != null);
    }
    return api.problem(own.apiKey() != null, own.baseUrl() != null).isEmpty()
        ? Optional.empty()
        : Optional.of("The tenant's own credentials for %s have no api_key.".formatted(name()));
  }

  @Override
  public Optional<Integer> maxConcurrent() {
    return switch (api) {
      case OPENAI -> config.openai().maxConcurrent();
      case ANTHROPIC -> config.anthropic().maxConcurrent();
      case OLLAMA -> config.ollama().maxConcurrent();
    };
  }

  @Override
  public LanguageModel model(String model) {
    var endpoint = http.endpoint(api, own);
    var called = new CalledModel(endpoint, model, windows.of(name() + ":" + model));
    return new ChatLanguageModel(api.dialect(), called, http.to(endpoint), http.quirks());
  }
}
