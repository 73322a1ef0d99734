package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.errand.conversation.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One provider, and a server that answers in its format, with a stream or a document. */
abstract class ProviderContract {

  @RegisterExtension
  static final WireMockExtension server =
      WireMockExtension.newInstance()
          .options(WireMockConfiguration.options().dynamicPort())
          .build();

  final Wire wire;

  ProviderContract(Wire wire) {
    this.wire = wire;
  }

  static List<Wire> wires() {
    return List.of(
        new OpenAiWire(false),
        new OpenAiWire(true),
        new AnthropicWire(false),
        new AnthropicWire(true),
        new OllamaWire(false),
        new OllamaWire(true));
  }

  static ModelRequest ask(String text) {
    return new ModelRequest("Be brief.", List.of(Message.user(text)), List.of());
  }

  LanguageModel model(String url, Map<String, String> more) {
    return Models.with(properties(url, more)).named(wire.model(), wire.tenant(url));
  }

  Map<String, String> properties(String url, Map<String, String> more) {
    var properties = new HashMap<>(wire.properties(url));
    properties.putAll(more);
    return properties;
  }

  void answer(ResponseDefinitionBuilder response) {
    server.stubFor(post(urlEqualTo(wire.path())).willReturn(response));
  }

  ResponseDefinitionBuilder ok(String body) {
    return aResponse().withHeader("Content-Type", wire.contentType()).withBody(body);
  }
}
