package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.Usage;
import dev.errand.model.ModelException.Code;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ModelMetricsTest {

  private static final ModelRequest HI = new ModelRequest("", List.of(), List.of());

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void answersAndTheirTokensAreCounted() {
    metered(_ -> new ModelReply("Hello.", List.of(), new Usage(12, 5))).reply(HI);

    assertThat(calls("answered")).isEqualTo(1);
    assertThat(registry.get("errand.model.call").tag("provider", "ollama").timer().count())
        .isEqualTo(1);
    assertThat(tokens("input")).isEqualTo(12);
    assertThat(tokens("output")).isEqualTo(5);
  }

  @Test
  void faultsAreCountedByCodeAndPassedOn() {
    var model =
        metered(_ -> {
          throw new ModelException(Code.MODEL_TIMEOUT, "late");
        });

    assertThatThrownBy(() -> model.reply(HI)).hasMessage("late");
    assertThat(calls("model_timeout")).isEqualTo(1);
  }

  private LanguageModel metered(LanguageModel model) {
    return new MeteredModel(
        model,
        "ollama",
        "ollama:llama3",
        new ModelMetrics(registry),
        new Prices(Optional.empty(), Optional.empty()));
  }

  private double calls(String outcome) {
    return registry
        .get("errand.model.calls")
        .tag("provider", "ollama")
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  private double tokens(String direction) {
    return registry
        .get("errand.tokens")
        .tag("model", "ollama:llama3")
        .tag("direction", direction)
        .counter()
        .count();
  }
}
