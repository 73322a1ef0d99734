package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tenant.TenantModels;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolLimitsTest {

  private static final Map<String, String> KEYS =
      Map.of("errand.models.openai.api-key", "sk-a", "errand.models.anthropic.api-key", "sk-b");

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "openai:gpt-5, '', 128",
    "ollama:qwen3:8b, '', 128",
    "anthropic:claude-sonnet-4-5, '', 2147483647",
    "offline:planner, '', 2147483647",
    "openai:gpt-5, openai.max-tools=20, 20",
    "ollama:qwen3:8b, ollama.max-tools=10, 10",
    "anthropic:claude-sonnet-4-5, anthropic.max-tools=200, 200",
    "anthropic:claude-sonnet-4-5, openai.max-tools=20, 2147483647",
    "anthropic:claude-sonnet-4-5, fallback.\"anthropic:claude-sonnet-4-5\"=openai:gpt-5, 128",
    "openai:gpt-5, fallback.\"openai:gpt-5\"=anthropic:claude-sonnet-4-5, 128"
  })
  void lowestLimitOfAModelAndItsFallbacksCounts(String model, String setting, int limit) {
    var properties = new HashMap<>(KEYS);
    if (!setting.isEmpty()) {
      var split = setting.lastIndexOf('=');
      properties.put("errand.models." + setting.substring(0, split), setting.substring(split + 1));
    }
    var config = Models.config(properties);
    var names = new ModelNames(Models.with(properties), Map::of);

    assertThat(
            new ToolLimits(config, new Fallbacks(config, names)).of(model, TenantModels.OF_SERVICE))
        .isEqualTo(limit);
  }
}
