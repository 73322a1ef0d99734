package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.model.ContextWindows.Window;
import dev.errand.model.Dialect.CalledModel;

/** Shows what the real providers would send, without sending it. */
public final class SentRequests {

  private static final Window WINDOW = new Window(100_000, 8_192);

  private SentRequests() {}

  public static JsonNode toOpenAi(ModelRequest request) {
    return sent(ProviderApi.OPENAI, request);
  }

  public static JsonNode toAnthropic(ModelRequest request) {
    return sent(ProviderApi.ANTHROPIC, request);
  }

  private static JsonNode sent(ProviderApi api, ModelRequest request) {
    var endpoint = new Endpoint(api.provider(), api.standard(), "sk-test", null);
    return api.dialect().request(request, new CalledModel(endpoint, "test-model", WINDOW));
  }
}
