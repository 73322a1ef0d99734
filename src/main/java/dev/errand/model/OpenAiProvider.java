package dev.errand.model;

import dev.errand.model.ChatLanguageModel.Chat;
import dev.errand.tenant.TenantModels.Access;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Models of OpenAI and of other endpoints with its chat completions API. */
@Singleton
final class OpenAiProvider implements ModelProvider {

  private static final List<String> OPENAI_HOSTS =
      List.of(".api.openai.com", ".openai.azure.com", ".services.ai.azure.com");

  private final ModelConfig config;
  private final ModelHttp http;
  private final ContextWindows windows;
  private final @Nullable Access own;

  @Inject
  OpenAiProvider(ModelConfig config, ModelHttp http, ContextWindows windows) {
    this(config, http, windows, null);
  }

  private OpenAiProvider(
      ModelConfig config, ModelHttp http, ContextWindows windows, @Nullable Access own) {
    this.config = config;
    this.http = http;
    this.windows = windows;
    this.own = own;
  }

  @Override
  public String name() {
    return "openai";
  }

  @Override
  public boolean usesCredentials() {
    return true;
  }

  @Override
  public ModelProvider with(Access access) {
    return new OpenAiProvider(config, http, windows, access);
  }

  /** Other endpoints than OpenAI may not need a key; many local ones do not. */
  @Override
  public Optional<String> problem(String model) {
    if (own != null) {
      return own.apiKey() != null || own.baseUrl() != null
          ? Optional.empty()
          : Optional.of("The tenant's own credentials for openai have no api_key.");
    }
    var configured = http.configured(ProviderApi.OPENAI);
    return configured.apiKey() != null || configured.baseUrl() != null
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
    var endpoint = http.endpoint(ProviderApi.OPENAI, own);
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
        .baseUrl(endpoint.address())
        .apiKey(ProviderApi.isAzure(endpoint.baseUrl()) ? null : endpoint.apiKey())
        .customHeaders(headers(endpoint))
        .modelName(model)
        .maxTokens(isOpenAi(endpoint) ? null : answerTokens(model))
        .maxCompletionTokens(isOpenAi(endpoint) ? answerTokens(model) : null)
        .returnThinking(true)
        .sendThinking(true)
        .maxRetries(0)
        .build();
  }

  private OpenAiStreamingChatModel streaming(Endpoint endpoint, String model) {
    return OpenAiStreamingChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.address())
        .apiKey(ProviderApi.isAzure(endpoint.baseUrl()) ? null : endpoint.apiKey())
        .customHeaders(headers(endpoint))
        .modelName(model)
        .maxTokens(isOpenAi(endpoint) ? null : answerTokens(model))
        .maxCompletionTokens(isOpenAi(endpoint) ? answerTokens(model) : null)
        .returnThinking(true)
        .sendThinking(true)
        .build();
  }

  /** Azure takes a key in a header of its own. */
  private static Map<String, String> headers(Endpoint endpoint) {
    return endpoint.apiKey() != null && ProviderApi.isAzure(endpoint.baseUrl())
        ? Map.of("api-key", endpoint.apiKey())
        : Map.of();
  }

  private int answerTokens(String model) {
    return windows.of(name() + ":" + model).answerTokens();
  }

  /**
   * OpenAI's reasoning models refuse {@code max_tokens}, also in a region and on Azure; most other
   * endpoints know nothing else.
   */
  private static boolean isOpenAi(Endpoint endpoint) {
    var host = ("." + endpoint.baseUrl().getHost()).toLowerCase(Locale.ROOT);
    return OPENAI_HOSTS.stream().anyMatch(host::endsWith);
  }
}
