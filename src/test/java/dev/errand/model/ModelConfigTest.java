package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelConfigTest {

  @Test
  void defaultsMatchTheDocumentation() {
    var config = Models.config(Map.of());

    assertThat(config.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.firstByteTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.chunkTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.totalTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.maxOutputTokens()).isEqualTo(8192);
    assertThat(config.openai().apiKey()).isEmpty();
    assertThat(config.ollama().baseUrl()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "connect-timeout, -1s",
    "first-byte-timeout, 0s",
    "chunk-timeout, soon",
    "total-timeout, -10m",
    "max-output-tokens, 0",
    "ollama.context-tokens, -1"
  })
  void invalidValuesAreRefused(String key, String value) {
    var nonsense = Map.of("errand.models." + key, value);

    assertThatThrownBy(() -> Models.config(nonsense)).hasMessageContaining("errand.models." + key);
  }

  @Test
  void aliasOfAnInvalidModelIsRefused() {
    var aliases =
        new SmallRyeConfigBuilder()
            .addDefaultInterceptors()
            .addDiscoveredConverters()
            .withMapping(ModelNames.ModelAliases.class)
            .withDefaultValues(Map.of("errand.model-aliases.small", "planner"));

    assertThatThrownBy(aliases::build)
        .hasMessageContaining("errand.model-aliases")
        .hasMessageContaining("must be provider:name");
  }

  @Test
  void commonEnvironmentVariablesAreRead() throws IOException {
    var config =
        shipped(
            Map.of(
                "OPENAI_API_KEY", "sk-1",
                "OPENAI_BASE_URL", "http://localhost:8000/v1",
                "ANTHROPIC_API_KEY", "sk-2",
                "ANTHROPIC_BASE_URL", "http://localhost:8001",
                "OLLAMA_BASE_URL", "http://localhost:8002"));

    assertThat(config.openai().apiKey()).contains("sk-1");
    assertThat(config.openai().baseUrl()).contains("http://localhost:8000/v1");
    assertThat(config.anthropic().apiKey()).contains("sk-2");
    assertThat(config.anthropic().baseUrl()).contains("http://localhost:8001");
    assertThat(config.ollama().baseUrl()).contains("http://localhost:8002");
  }

  @Test
  void emptyValueCountsAsAbsent() throws IOException {
    var config = shipped(Map.of("OPENAI_API_KEY", "", "OPENAI_BASE_URL", ""));

    assertThat(config.openai().apiKey()).isEmpty();
    assertThat(config.openai().baseUrl()).isEmpty();
    assertThat(config.anthropic().apiKey()).isEmpty();
  }

  /** The configuration of the service in this environment. */
  private static ModelConfig shipped(Map<String, String> environment) throws IOException {
    var shipped = ModelConfigTest.class.getResource("/application.properties");
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .addDiscoveredConverters()
        .withSources(new PropertiesConfigSource(shipped))
        .withDefaultValues(environment)
        .withMapping(ModelConfig.class)
        .withMappingIgnore("**")
        .build()
        .getConfigMapping(ModelConfig.class);
  }
}
