package dev.errand.model;

import static dev.errand.tenant.TenantModels.OF_SERVICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.Message;
import dev.errand.egress.HostResolver;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.model.ModelException.Code;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LanguageModelsTest {

  private static final ModelRequest HELLO =
      new ModelRequest("", List.of(Message.user("hello")), List.of());

  private final LanguageModels unconfigured = Models.with(Map.of());

  @Test
  void sameNameIsTheSameModel() {
    assertThat(unconfigured.named("ollama:llama3", OF_SERVICE))
        .isSameAs(unconfigured.named("ollama:llama3", OF_SERVICE));
    assertThat(unconfigured.named("ollama:llama3", OF_SERVICE))
        .isNotSameAs(unconfigured.named("ollama:llama3:70b", OF_SERVICE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gpt-5", ":gpt-5", "openai:"})
  void nameNeedsTwoParts(String name) {
    assertThat(unconfigured.problem(name, OF_SERVICE)).hasValueSatisfying(says("provider:name"));
  }

  @Test
  void messageAboutAnUnknownProviderNamesTheKnownOnes() {
    assertThat(unconfigured.problem("opnai:gpt-5", OF_SERVICE))
        .hasValueSatisfying(says("known are anthropic, offline, ollama, openai"));
  }

  @Test
  void messageAboutAnUnknownOfflineModelNamesTheKnownOne() {
    assertThat(unconfigured.problem("offline:genius", OF_SERVICE))
        .hasValueSatisfying(says("offline:planner"));
  }

  @Test
  void messageAboutAMissingKeyNamesTheProperty() {
    assertThat(unconfigured.problem("openai:gpt-5", OF_SERVICE))
        .hasValueSatisfying(says("OPENAI_API_KEY"));
    assertThat(unconfigured.problem("anthropic:claude", OF_SERVICE))
        .hasValueSatisfying(says("ANTHROPIC_API_KEY"));
    assertThatThrownBy(() -> unconfigured.named("openai:gpt-5", OF_SERVICE))
        .isInstanceOfSatisfying(
            ModelException.class,
            fault -> assertThat(fault.code()).isEqualTo(Code.MODEL_NOT_CONFIGURED))
        .hasMessageContaining("OPENAI_API_KEY");
  }

  @Test
  void otherEndpointsThanOpenAisNeedNoKey() {
    var models = Models.with(Map.of("errand.models.openai.base-url", "http://localhost:8000/v1"));

    assertThat(models.problem("openai:qwen", OF_SERVICE)).isEmpty();
    assertThat(models.named("openai:qwen", OF_SERVICE)).isNotNull();
  }

  @Test
  void ollamaAndThePlannerNeedNoConfiguration() {
    assertThat(unconfigured.problem("ollama:llama3", OF_SERVICE)).isEmpty();
    assertThat(unconfigured.problem("offline:planner", OF_SERVICE)).isEmpty();
  }

  @Test
  void endpointOfATenantHasAGateAndAnOutageOfItsOwn() {
    var config = Models.config(Map.of("errand.models.fallback.\"openai:a\"", "offline:planner"));
    var openai =
        new ApiProvider(
            ProviderApi.OPENAI,
            config,
            Models.http(config, new TenantEndpoints(config, true)),
            Models.windows(config));
    var gates = new EndpointGates(List.of(openai), config);
    var own = own("https://example.com/v1");
    var fallbacks = new Fallbacks(config, new ModelNames(unconfigured, Map::of));

    fallbacks.failed("openai:a", own, new ModelException(Code.MODEL_RATE_LIMITED, "busy"));

    assertThat(gates.of("openai:a", own)).isSameAs(gates.of("openai:b", own));
    assertThat(gates.of("openai:a", own))
        .isNotSameAs(gates.of("openai:a", OF_SERVICE))
        .isNotSameAs(gates.of("openai:a", own("https://example.org/v1")));
    assertThat(fallbacks.isTriedFirst("openai:a", own)).isFalse();
    assertThat(fallbacks.isTriedFirst("openai:a", OF_SERVICE)).isTrue();
  }

  @Test
  void fallbackThatTheTenantMayNotCallIsSkipped() {
    var config = Models.config(Map.of("errand.models.fallback.\"openai:a\"", "offline:planner"));
    var fallbacks = new Fallbacks(config, new ModelNames(unconfigured, Map::of));
    var narrow = new TenantModels(false, List.of("openai:*"), Map.of());

    fallbacks.failed("openai:a", narrow, new ModelException(Code.MODEL_RATE_LIMITED, "busy"));

    assertThat(fallbacks.of("openai:a", OF_SERVICE)).containsExactly("offline:planner");
    assertThat(fallbacks.of("openai:a", narrow)).isEmpty();
    assertThat(fallbacks.first("openai:a", narrow)).isEqualTo("openai:a");
  }

  @Test
  void privateAddressOfATenantIsNotCalled() {
    var closed = Models.with(Map.of(), false);

    refuses(closed.named("openai:gpt", own("https://127.0.0.1:9/v1")), "its address is private");
    refuses(closed.named("openai:gpt", own("http://example.com/v1")), "not allowed any more");
  }

  /** The name has another address at each lookup, at last that of a metadata service. */
  @Test
  void nameOfATenantIsLookedUpOnceForTheCheckAndTheConnection() throws IOException {
    var config = Models.config(Map.of());
    var addresses = new ArrayDeque<>(List.of("127.0.0.1", "169.254.169.254"));
    HostResolver rebinding = _ -> List.of(InetAddress.ofLiteral(addresses.remove()));
    var models = Models.with(config, new TenantEndpoints(config, true, rebinding));
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("here"))) {
      var url = Objects.requireNonNull(endpoint.environment().get("OPENAI_BASE_URL"));
      var model = models.named("openai:gpt", own(url.replace("127.0.0.1", "rebinding.example")));

      assertThat(model.reply(HELLO).text()).isEqualTo("here");
      refuses(model, "its address is private");

      assertThat(addresses).isEmpty();
      assertThat(endpoint.headers("Host"))
          .singleElement()
          .satisfies(host -> assertThat(host).startsWith("rebinding.example:"));
      assertThat(endpoint.headers("Authorization")).containsExactly("Bearer sk-of-a-tenant");
    }
  }

  private static void refuses(LanguageModel model, String because) {
    assertThatThrownBy(() -> model.reply(HELLO))
        .isInstanceOfSatisfying(
            ModelException.class,
            fault -> assertThat(fault.code()).isEqualTo(Code.MODEL_NOT_CONFIGURED))
        .hasMessageContaining(because);
  }

  @Test
  void ownCredentialsReplaceThoseOfTheService() {
    var configured = Models.with(Map.of("errand.models.anthropic.api-key", "service-key-1234"));
    var without =
        new TenantModels(
            false, null, Map.of("anthropic", new ProviderCredentials(null, null, null)));
    var damaged =
        new TenantModels(
            false, null, Map.of("anthropic", new ProviderCredentials(null, null, "it is damaged")));
    var ownOnly = new TenantModels(true, null, Map.of());

    assertThat(configured.problem("anthropic:claude", OF_SERVICE)).isEmpty();
    assertThat(configured.problem("anthropic:claude", without))
        .hasValueSatisfying(says("have no api_key"));
    assertThat(configured.problem("anthropic:claude", damaged))
        .hasValueSatisfying(says("it is damaged"));
    assertThat(configured.problem("anthropic:claude", ownOnly))
        .hasValueSatisfying(says("own_only"));
    assertThat(configured.problem("ollama:llama3", ownOnly)).hasValueSatisfying(says("own_only"));
    assertThat(configured.problem("offline:planner", ownOnly)).isEmpty();
  }

  private static TenantModels own(String url) {
    var access = new ProviderCredentials("sk-of-a-tenant", URI.create(url), null);
    return new TenantModels(false, null, Map.of("openai", access));
  }

  private static Consumer<String> says(String words) {
    return problem -> assertThat(problem).contains(words);
  }
}
