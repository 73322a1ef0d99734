package dev.errand.model;

import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;

/** Models of Anthropic, through its messages API. */
@Singleton
final class AnthropicProvider implements ModelProvider {

  private static final URI ANTHROPIC = URI.create("https://api.anthropic.com");

  private final ModelConfig config;
  private final ModelHttp http;

  AnthropicProvider(ModelConfig config, ModelHttp http) {
    this.config = config;
    this.http = http;
  }

  @Override
  public String name() {
    return "anthropic";
  }

  @Override
  public Optional<String> problem(String model) {
    return config.anthropic().apiKey().isPresent()
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
    var baseUrl = versioned(config.anthropic().baseUrl().orElse(ANTHROPIC));
    var endpoint = new Endpoint(name(), baseUrl, config.anthropic().apiKey().orElseThrow());
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
        .baseUrl(endpoint.baseUrl().toString())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(config.maxOutputTokens())
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
        .baseUrl(endpoint.baseUrl().toString())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(config.maxOutputTokens())
        .cacheSystemMessages(true)
        .cacheTools(true)
        .returnThinking(true)
        .sendThinking(true)
        .build();
  }

  private static URI versioned(URI baseUrl) {
    var plain = baseUrl.toString().replaceAll("/+$", "");
    return URI.create(plain.endsWith("/v1") ? plain : plain + "/v1");
  }
}
