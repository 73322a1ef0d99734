package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DefaultModelTest {

  private static final StartupEvent START = new StartupEvent();

  @Test
  void thePlannerIsTheDefaultOnLoopback() {
    var model = model(Optional.empty(), "127.0.0.1");

    assertThat(model.name()).isEqualTo("offline:planner");
    assertThatCode(() -> model.check(START)).doesNotThrowAnyException();
  }

  @Test
  void whereOtherMachinesReachTheServiceTheModelMustBeChosen() {
    assertThatThrownBy(() -> model(Optional.empty(), "0.0.0.0").check(START))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("set ERRAND_MODEL");
    assertThatCode(() -> model(Optional.of("offline:planner"), "0.0.0.0").check(START))
        .doesNotThrowAnyException();
  }

  @Test
  void anAliasThatIsNotConfiguredIsNoDefault() {
    assertThatThrownBy(() -> model(Optional.of("Sonnet"), "127.0.0.1").check(START))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "ERRAND_MODEL=Sonnet: The model alias 'Sonnet' is not configured; set"
                + " errand.model-aliases.sonnet to provider:name.");
  }

  @Test
  void anAliasThatIsNotConfiguredIsNoFallback() {
    var config = Models.config(Map.of("errand.models.fallback.opus", "haiku"));
    var fallbacks = new Fallbacks(config, new ModelNames(Models.with(Map.of()), Map::of));

    assertThatThrownBy(() -> fallbacks.check(START))
        .hasMessageContaining("errand.models.fallback of opus: The model alias 'haiku'");
  }

  private static DefaultModel model(Optional<String> chosen, String host) {
    var models = Models.with(Map.of());
    return new DefaultModel(chosen, host, new ModelNames(models, Map::of));
  }
}
