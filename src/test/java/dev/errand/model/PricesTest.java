package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.Cost;
import dev.errand.conversation.Usage;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PricesTest {

  private static final Usage MILLION = new Usage(1_000_000, 0, 0);

  @TempDir Path folder;

  @Test
  void shippedListHasCommonModelsAndFreeOnes() {
    var prices = new Prices(Optional.empty(), Optional.empty());

    assertThat(cost(prices, "anthropic:claude-sonnet-4-5")).isEqualTo("3");
    assertThat(cost(prices, "anthropic:claude-sonnet-4-5-20250929")).isEqualTo("3");
    assertThat(cost(prices, "openai:gpt-4.1-mini")).isEqualTo("0.4");
    assertThat(cost(prices, "ollama:qwen3:8b")).isEqualTo("0");
    assertThat(cost(prices, "offline:planner")).isEqualTo("0");
    assertThat(cost(prices, "openai:gpt-5-unheard-of")).isNull();
    assertThat(prices.problem("openai:gpt-5-unheard-of"))
        .hasValueSatisfying(problem -> assertThat(problem).contains("ERRAND_PRICES_FILE"));
  }

  @Test
  void longestNameCountsAndTheFileOfTheOperatorGoesBeforeTheShippedList() throws IOException {
    var prices =
        prices(
            """
            # ours
            "openai:*": {input: 7, output: 8}
            "openai:gpt-4*": {input: 6, output: 8}
            "openai:gpt-4.1*": {input: 5, output: 8}
            openai:gpt-4.1-mini: {input: 0.000001, output: 8}
            """);

    assertThat(cost(prices, "openai:o3")).isEqualTo("7");
    assertThat(cost(prices, "openai:gpt-4o")).isEqualTo("6");
    assertThat(cost(prices, "openai:gpt-4.1")).isEqualTo("5");
    assertThat(cost(prices, "openai:gpt-4.1-mini")).isEqualTo("0.000001");
    assertThat(cost(prices, "anthropic:claude-haiku-4-5")).isEqualTo("1");
  }

  @Test
  void costOfACallIsRoundedOnceHalfUp() throws IOException {
    var prices =
        prices(
            "\"x:y\": {input: 0.3, cached_input: 0.1, output: 0.45}\nx:z: {input: 2, output: 3}");

    // 3 × 0.3 + 1 × 0.1 + 1 × 0.45 = 1.45, and 0.05 more
    assertThat(prices.priced("x:y", new Usage(4, 1, 1)).cost()).isEqualTo(new Cost(1));
    assertThat(prices.priced("x:y", new Usage(2, 2, 2)).cost()).isEqualTo(new Cost(1));
    assertThat(prices.priced("x:y", new Usage(2, 0, 2)).cost()).isEqualTo(new Cost(2));
    assertThat(prices.priced("x:z", new Usage(10, 4, 1)).cost())
        .as("without a price of their own, tokens of the cache cost as much as others")
        .isEqualTo(new Cost(23));
  }

  @Test
  void costsAreShownAsPlainDecimals() {
    assertThat(new Cost(50)).hasToString("0.00005");
    assertThat(new Cost(1)).hasToString("0.000001");
    assertThat(new Cost(250_000_000).amount()).isEqualTo(new BigDecimal("250"));
    assertThat(new Cost(0)).hasToString("0");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "- a                                            | 2 | key: value",
        "gpt-5: {input: 1, output: 2}                   | 2 | 'gpt-5' must be provider:model",
        "\"a*b:c\": {input: 1, output: 2}               | 2 | must be provider:model",
        "\"a:b*c\": {input: 1, output: 2}               | 2 | must be provider:model",
        "a:b: 5                                         | 2 | key: value",
        "a:b: {input: 1}                                | 2 | a:b.output is missing",
        "a:b: {input: -1, output: 2}                    | 2 | a:b.input must be a price",
        "a:b: {input: 1e9, output: 2}                   | 2 | a:b.input must be a price",
        "a:b: {input: 0.0000001, output: 2}             | 2 | a:b.input must be a price",
        "a:b: {input: 1, output: [2]}                   | 2 | a:b.output must be a price",
        "a:b: {input: 1, output: 2, outputs: 3}         | 2 | a:b.outputs is unknown",
        "a:b: {input: 1, output: 2, input: 3}           | 2 | a:b.input occurs twice",
        "a:b: {input: 1, output: 2                      | 3 | is not valid YAML",
      })
  void brokenFileStopsTheStartWithLineAndField(String text, int line, String problem) {
    assertThatThrownBy(() -> prices("# prices\n" + text + "\n"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ERRAND_PRICES_FILE")
        .hasMessageContaining("prices.yaml:" + line)
        .hasMessageContaining(problem);
  }

  @Test
  void fileThatDoesNotExistStopsTheStart() {
    assertThatThrownBy(
            () -> new Prices(Optional.of(folder.resolve("none.yaml").toString()), Optional.empty()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none.yaml cannot be read");
  }

  @Test
  void currencyOfTheShippedListIsKnownAndThatOfAFileIsConfigured() throws IOException {
    var file = Optional.of(Files.writeString(folder.resolve("prices.yaml"), "").toString());

    assertThat(new Prices(Optional.empty(), Optional.empty()).currency()).contains("USD");
    assertThat(new Prices(file, Optional.empty()).currency()).isEmpty();
    assertThat(new Prices(file, Optional.of("EUR")).currency()).contains("EUR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"eur", "Euro", "€", "ZZZ"})
  void currencyThatIsNoneStopsTheStart(String code) {
    assertThatThrownBy(() -> new Prices(Optional.empty(), Optional.of(code)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ERRAND_PRICES_CURRENCY")
        .hasMessageContaining(code);
  }

  private Prices prices(String text) throws IOException {
    var file = Files.writeString(folder.resolve("prices.yaml"), text);
    return new Prices(Optional.of(file.toString()), Optional.empty());
  }

  private static @Nullable String cost(Prices prices, String model) {
    var cost = prices.priced(model, MILLION).cost();
    return cost == null ? null : cost.toString();
  }
}
