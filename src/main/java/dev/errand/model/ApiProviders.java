package dev.errand.model;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** The providers that are called by their APIs. */
@Singleton
class ApiProviders {

  private final ModelConfig config;
  private final ModelHttp http;
  private final ContextWindows windows;

  ApiProviders(ModelConfig config, ModelHttp http, ContextWindows windows) {
    this.config = config;
    this.http = http;
    this.windows = windows;
  }

  /** Returns the provider for OpenAI, and for other endpoints with its chat completions API. */
  @Produces
  @Singleton
  ModelProvider openAi() {
    return new ApiProvider(ProviderApi.OPENAI, config, http, windows);
  }

  /** Returns the provider for Anthropic, and for other endpoints with its messages API. */
  @Produces
  @Singleton
  ModelProvider anthropic() {
    return new ApiProvider(ProviderApi.ANTHROPIC, config, http, windows);
  }

  /** Returns the provider for a local Ollama. */
  @Produces
  @Singleton
  ModelProvider ollama() {
    return new ApiProvider(ProviderApi.OLLAMA, config, http, windows);
  }
}
