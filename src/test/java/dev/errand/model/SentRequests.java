package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.model.LanguageModel.ModelRequest;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Shows what the real providers would send, without sending it. */
public final class SentRequests {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final ModelConfig CONFIG =
      Models.config(
          Map.of(
              "errand.models.openai.api-key", "sk-a", "errand.models.anthropic.api-key", "sk-b"));
  private static final LanguageModel OPENAI =
      new OpenAiProvider(CONFIG, new Capturing(), Models.windows(CONFIG)).model("gpt-test");
  private static final LanguageModel ANTHROPIC =
      new AnthropicProvider(CONFIG, new Capturing(), Models.windows(CONFIG)).model("claude-test");

  private SentRequests() {}

  public static JsonNode toOpenAi(ModelRequest request) {
    return sent(OPENAI, request);
  }

  public static JsonNode toAnthropic(ModelRequest request) {
    return sent(ANTHROPIC, request);
  }

  private static JsonNode sent(LanguageModel model, ModelRequest request) {
    try {
      throw new AssertionError("an answer without a server: " + model.reply(request));
    } catch (ModelException fault) {
      for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
        if (cause instanceof Captured captured) {
          return captured.body();
        }
      }
      throw new AssertionError("the request was not written", fault);
    }
  }

  /** Carries a request out of langchain4j. */
  private static final class Captured extends RuntimeException {

    private static final long serialVersionUID = 1;

    Captured(String body) {
      super(body, null, false, false);
    }

    JsonNode body() {
      try {
        return JSON.readTree(getMessage());
      } catch (JsonProcessingException broken) {
        throw new AssertionError(broken);
      }
    }
  }

  private static final class Capturing extends ModelHttp {

    Capturing() {
      super(CONFIG, new EndpointGates(List.of(), CONFIG), new TenantEndpoints(CONFIG, true));
    }

    @Override
    HttpClientBuilder to(Endpoint endpoint) {
      return new CapturingClient();
    }
  }

  private static final class CapturingClient implements HttpClient, HttpClientBuilder {

    @Override
    public SuccessfulHttpResponse execute(HttpRequest request) {
      throw new Captured(request.body());
    }

    @Override
    public void execute(
        HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
      throw new Captured(request.body());
    }

    @Override
    public Duration connectTimeout() {
      return Duration.ZERO;
    }

    @Override
    public HttpClientBuilder connectTimeout(Duration ignored) {
      return this;
    }

    @Override
    public Duration readTimeout() {
      return Duration.ZERO;
    }

    @Override
    public HttpClientBuilder readTimeout(Duration ignored) {
      return this;
    }

    @Override
    public HttpClient build() {
      return this;
    }
  }
}
