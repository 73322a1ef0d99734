package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.model.ModelException.Code;
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

  private static Consumer<String> says(String words) {
    return problem -> assertThat(problem).contains(words);
  }
}
