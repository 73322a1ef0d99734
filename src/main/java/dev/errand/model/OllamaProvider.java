package dev.errand.model;

import dev.errand.model.ChatLanguageModel.Chat;
import dev.errand.tenant.TenantModels.Access;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.ollama.OllamaChatModel;
import dev.langchain4j.model.ollama.OllamaStreamingChatModel;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Models of a local Ollama. */
@Singleton
final class OllamaProvider implements ModelProvider {

  private final ModelConfig config;
  private final ModelHttp http;
  private final ContextWindows windows;
  private final @Nullable Access own;

  @Inject
  OllamaProvider(ModelConfig config, ModelHttp http, ContextWindows windows) {
    this(config, http, windows, null);
  }

  private OllamaProvider(
      ModelConfig config, ModelHttp http, ContextWindows windows, @Nullable Access own) {
    this.config = config;
    this.http = http;
    this.windows = windows;
    this.own = own;
  }

  @Override
  public String name() {
    return "ollama";
  }

  @Override
  public boolean usesCredentials() {
    return true;
  }

  @Override
  public ModelProvider with(Access access) {
    return new OllamaProvider(config, http, windows, access);
  }

  /** Needs no configuration. */
  @Override
  public Optional<String> problem(String model) {
    return Optional.empty();
  }

  @Override
  public Optional<Integer> maxConcurrent() {
    return config.ollama().maxConcurrent();
  }

  @Override
  public LanguageModel model(String model) {
    var endpoint = http.endpoint(ProviderApi.OLLAMA, own);
    Chat chat =
        config.streaming()
            ? Chat.streamed(streaming(endpoint, model))
            : whole(endpoint, model)::chat;
    return new ChatLanguageModel(endpoint, model, request -> chat.answer(withoutChoice(request)));
  }

  /** Ollama has no tool_choice: a model that may not call its tools does not see them. */
  private static ChatRequest withoutChoice(ChatRequest request) {
    return request.toolChoice() == null
        ? request
        : ChatRequest.builder().messages(request.messages()).build();
  }

  private ContextWindows.Window window(String model) {
    return windows.of(name() + ":" + model);
  }

  /** A local one needs no key; one behind a gateway may. */
  private static Map<String, String> headers(Endpoint endpoint) {
    return endpoint.apiKey() == null
        ? Map.of()
        : Map.of("Authorization", "Bearer " + endpoint.apiKey());
  }

  private OllamaChatModel whole(Endpoint endpoint, String model) {
    return OllamaChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.address())
        .customHeaders(headers(endpoint))
        .modelName(model)
        .numCtx(window(model).tokens())
        .numPredict(window(model).answerTokens())
        .maxRetries(0)
        .build();
  }

  private OllamaStreamingChatModel streaming(Endpoint endpoint, String model) {
    return OllamaStreamingChatModel.builder()
        .httpClientBuilder(http.to(endpoint))
        .baseUrl(endpoint.address())
        .customHeaders(headers(endpoint))
        .modelName(model)
        .numCtx(window(model).tokens())
        .numPredict(window(model).answerTokens())
        .build();
  }
}
