package dev.errand.model;

import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Models of OpenAI and of other endpoints with its chat completions API. */
@Singleton
final class OpenAiProvider implements ModelProvider {

  private static final URI OPENAI = URI.create("https://api.openai.com/v1");

  private final ModelConfig config;
  private final ModelHttp http;

  OpenAiProvider(ModelConfig config, ModelHttp http) {
    this.config = config;
    this.http = http;
  }

  @Override
  public String name() {
    return "openai";
  }

  /** Other endpoints than OpenAI may not need a key; many local ones do not. */
  @Override
  public Optional<String> problem(String model) {
    return config.openai().apiKey().isPresent() || config.openai().baseUrl().isPresent()
        ? Optional.empty()
        : Optional.of(
            "openai needs a key: set OPENAI_API_KEY (errand.models.openai.api-key),"
                + " or OPENAI_BASE_URL for an endpoint that needs none.");
  }

  @Override
  public Optional<Integer> maxConcurrent() {
    return config.openai().maxConcurrent();
  }

  @Override
  public LanguageModel model(String model) {
    var baseUrl = config.openai().baseUrl().orElse(OPENAI);
    var endpoint = new Endpoint(name(), baseUrl, config.openai().apiKey().orElse(null));
    return new ChatLanguageModel(
        endpoint,
        model,
        config.streaming()
            ? Chat.streamed(streaming(endpoint, model))
            : whole(endpoint, model)::chat);
  }

  private OpenAiChatModel whole(Endpoint endpoint, String model) {
    return OpenAiChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.baseUrl().toString())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(maxTokens(endpoint))
        .maxCompletionTokens(maxCompletionTokens(endpoint))
        .returnThinking(true)
        .sendThinking(true)
        .maxRetries(0)
        .build();
  }

  private OpenAiStreamingChatModel streaming(Endpoint endpoint, String model) {
    return OpenAiStreamingChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.baseUrl().toString())
        .apiKey(endpoint.apiKey())
        .modelName(model)
        .maxTokens(maxTokens(endpoint))
        .maxCompletionTokens(maxCompletionTokens(endpoint))
        .returnThinking(true)
        .sendThinking(true)
        .build();
  }

  /** OpenAI's reasoning models refuse {@code max_tokens}; most others know nothing else. */
  private @Nullable Integer maxTokens(Endpoint endpoint) {
    return isOpenAi(endpoint) ? null : config.maxOutputTokens();
  }

  private @Nullable Integer maxCompletionTokens(Endpoint endpoint) {
    return isOpenAi(endpoint) ? config.maxOutputTokens() : null;
  }

  private static boolean isOpenAi(Endpoint endpoint) {
    return OPENAI.getHost().equalsIgnoreCase(endpoint.baseUrl().getHost());
  }
}
