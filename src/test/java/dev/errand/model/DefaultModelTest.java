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

  private static DefaultModel model(Optional<String> chosen, String host) {
    var models = Models.with(Map.of());
    return new DefaultModel(chosen, host, new ModelNames(models, Map::of));
  }
}
