package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.Message;
import dev.errand.model.ModelException.Code;
import dev.errand.tenant.TenantModels;
import dev.errand.tenant.TenantModels.Access;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LanguageModelsTest {

  private final LanguageModels unconfigured = Models.with(Map.of());

  @Test
  void sameNameIsTheSameModel() {
    assertThat(unconfigured.named("ollama:llama3")).isSameAs(unconfigured.named("ollama:llama3"));
    assertThat(unconfigured.named("ollama:llama3"))
        .isNotSameAs(unconfigured.named("ollama:llama3:70b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gpt-5", ":gpt-5", "openai:"})
  void nameNeedsTwoParts(String name) {
    assertThat(unconfigured.problem(name)).hasValueSatisfying(says("provider:name"));
  }

  @Test
  void messageAboutAnUnknownProviderNamesTheKnownOnes() {
    assertThat(unconfigured.problem("opnai:gpt-5"))
        .hasValueSatisfying(says("known are anthropic, offline, ollama, openai"));
  }

  @Test
  void messageAboutAnUnknownOfflineModelNamesTheKnownOne() {
    assertThat(unconfigured.problem("offline:genius")).hasValueSatisfying(says("offline:planner"));
  }

  @Test
  void messageAboutAMissingKeyNamesTheProperty() {
    assertThat(unconfigured.problem("openai:gpt-5")).hasValueSatisfying(says("OPENAI_API_KEY"));
    assertThat(unconfigured.problem("anthropic:claude"))
        .hasValueSatisfying(says("ANTHROPIC_API_KEY"));
    assertThatThrownBy(() -> unconfigured.named("openai:gpt-5"))
        .isInstanceOfSatisfying(
            ModelException.class,
            fault -> assertThat(fault.code()).isEqualTo(Code.MODEL_NOT_CONFIGURED))
        .hasMessageContaining("OPENAI_API_KEY");
  }

  @Test
  void otherEndpointsThanOpenAisNeedNoKey() {
    var models = Models.with(Map.of("errand.models.openai.base-url", "http://localhost:8000/v1"));

    assertThat(models.problem("openai:qwen")).isEmpty();
    assertThat(models.named("openai:qwen")).isNotNull();
  }

  @Test
  void ollamaAndThePlannerNeedNoConfiguration() {
    assertThat(unconfigured.problem("ollama:llama3")).isEmpty();
    assertThat(unconfigured.problem("offline:planner")).isEmpty();
  }

  @Test
  void endpointOfATenantHasAGateAndAnOutageOfItsOwn() {
    var config = Models.config(Map.of("errand.models.fallback.\"openai:a\"", "offline:planner"));
    var openai = new OpenAiProvider(config, Models.http(config, true));
    var gates = new EndpointGates(List.of(openai), config);
    var own = own("https://example.com/v1");
    var fallbacks = new Fallbacks(config, new ModelNames(unconfigured, Map::of));

    fallbacks.failed("openai:a", own, new ModelException(Code.MODEL_RATE_LIMITED, "busy"));

    assertThat(gates.of("openai:a", own)).isSameAs(gates.of("openai:b", own));
    assertThat(gates.of("openai:a", own))
        .isNotSameAs(gates.of("openai:a", TenantModels.OF_SERVICE))
        .isNotSameAs(gates.of("openai:a", own("https://example.org/v1")));
    assertThat(fallbacks.isTriedFirst("openai:a", own)).isFalse();
    assertThat(fallbacks.isTriedFirst("openai:a", TenantModels.OF_SERVICE)).isTrue();
  }

  @Test
  void fallbackThatTheTenantMayNotCallIsSkipped() {
    var config = Models.config(Map.of("errand.models.fallback.\"openai:a\"", "offline:planner"));
    var fallbacks = new Fallbacks(config, new ModelNames(unconfigured, Map::of));
    var narrow = new TenantModels(false, List.of("openai:*"), Map.of());

    fallbacks.failed("openai:a", narrow, new ModelException(Code.MODEL_RATE_LIMITED, "busy"));

    assertThat(fallbacks.of("openai:a", TenantModels.OF_SERVICE))
        .containsExactly("offline:planner");
    assertThat(fallbacks.of("openai:a", narrow)).isEmpty();
    assertThat(fallbacks.first("openai:a", narrow)).isEqualTo("openai:a");
  }

  @Test
  void privateAddressOfATenantIsNotCalled() {
    var request = new ModelRequest("", List.of(Message.user("hello")), List.of());

    assertThatThrownBy(() ->
            Models.with(Map.of(), false)
                .named("openai:gpt", own("http://127.0.0.1:9/v1"))
                .reply(request))
        .isInstanceOfSatisfying(
            ModelException.class,
            fault -> assertThat(fault.code()).isEqualTo(Code.MODEL_NOT_CONFIGURED))
        .hasMessageContaining("private");
  }

  @Test
  void ownCredentialsReplaceThoseOfTheService() {
    var configured = Models.with(Map.of("errand.models.anthropic.api-key", "service-key-1234"));
    var without = new TenantModels(false, null, Map.of("anthropic", new Access(null, null, null)));
    var damaged =
        new TenantModels(false, null, Map.of("anthropic", new Access(null, null, "it is damaged")));
    var ownOnly = new TenantModels(true, null, Map.of());

    assertThat(configured.problem("anthropic:claude")).isEmpty();
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
    var access = new Access("sk-of-a-tenant", URI.create(url), null);
    return new TenantModels(false, null, Map.of("openai", access));
  }

  private static Consumer<String> says(String words) {
    return problem -> assertThat(problem).contains(words);
  }
}
