package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.model.ContextWindows.Window;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContextWindowsTest {

  @ParameterizedTest
  @CsvSource({
    "anthropic:claude-sonnet-4-5, 191808, 8192",
    "openai:GPT-4, 4096, 4096",
    "openai:unheard-of, 119808, 8192",
    "ollama:llama3:8b, 8192, 8192",
    "offline:planner, 2147475455, 8192"
  })
  void answerHasItsSpaceAndAtMostHalfOfTheWindow(String name, int input, int answer) {
    var windows = new ContextWindows(Models.config(Map.of()), Map::of);

    assertThat(windows.of(name)).isEqualTo(new Window(input, answer));
  }

  @Test
  void windowIsConfiguredByNameOrAlias() {
    var config =
        Models.config(
            Map.of(
                "errand.models.context-tokens.\"ollama:qwen3\"", "6001",
                "errand.models.context-tokens.small", "4000"));
    var windows = new ContextWindows(config, () -> Map.of("Small", "ollama:llama3:8b"));

    assertThat(windows.of("ollama:qwen3")).isEqualTo(new Window(3001, 3000));
    assertThat(windows.of("ollama:llama3:8b")).isEqualTo(new Window(2000, 2000));
    assertThat(windows.of("ollama:other").tokens()).isEqualTo(16_384);
  }
}
