package dev.errand.model;

import dev.errand.model.ChatLanguageModel.Chat;
import dev.errand.tenant.TenantModels.Access;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Models of Anthropic, through its messages API. */
@Singleton
final class AnthropicProvider implements ModelProvider {

  private final ModelConfig config;
  private final ModelHttp http;
  private final ContextWindows windows;
  private final @Nullable Access own;

  @Inject
  AnthropicProvider(ModelConfig config, ModelHttp http, ContextWindows windows) {
    this(config, http, windows, null);
  }

  private AnthropicProvider(
      ModelConfig config, ModelHttp http, ContextWindows windows, @Nullable Access own) {
    this.config = config;
    this.http = http;
    this.windows = windows;
    this.own = own;
  }

  @Override
  public String name() {
    return "anthropic";
  }

  @Override
  public boolean usesCredentials() {
    return true;
  }

  @Override
  public ModelProvider with(Access access) {
    return new AnthropicProvider(config, http, windows, access);
  }

  @Override
  public Optional<String> problem(String model) {
    if (own != null) {
      return own.apiKey() != null
          ? Optional.empty()
          : Optional.of("The tenant's own credentials for anthropic have no api_key.");
    }
    return http.configured(ProviderApi.ANTHROPIC).apiKey() != null
        ? Optional.empty()
        : Optional.of(
            "anthropic needs a key: set ANTHROPIC_API_KEY (errand.models.anthropic.api-key).");
  }

  @Override
  public Optional<Integer> maxConcurrent() {
    return config.anthropic().maxConcurrent();
  }

  @Override
  public LanguageModel model(String model) {
    var endpoint = http.endpoint(ProviderApi.ANTHROPIC, own);
    return new ChatLanguageModel(
        endpoint,
        model,
        config.streaming()
            ? Chat.streamed(streaming(endpoint, model))
            : whole(endpoint, model)::chat);
  }

  private AnthropicChatModel whole(Endpoint endpoint, String model) {
    return AnthropicChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.address())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(windows.of(name() + ":" + model).answerTokens())
        .cacheSystemMessages(true)
        .cacheTools(true)
        .returnThinking(true)
        .sendThinking(true)
        .maxRetries(0)
        .build();
  }

  private AnthropicStreamingChatModel streaming(Endpoint endpoint, String model) {
    return AnthropicStreamingChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.address())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(windows.of(name() + ":" + model).answerTokens())
        .cacheSystemMessages(true)
        .cacheTools(true)
        .returnThinking(true)
        .sendThinking(true)
        .build();
  }
}
