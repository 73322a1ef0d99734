package dev.errand.model.offline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OfflineProviderTest {

  @Test
  void plannerAsTheDefaultModelOfAProductionServiceIsWarnedAbout() {
    assertThat(OfflineProvider.isDefaultInProduction("offline:planner", List.of("prod"))).isTrue();
  }

  @Test
  void developmentTestsAndOtherModelsAreNotWarnedAbout() {
    assertThat(OfflineProvider.isDefaultInProduction("offline:planner", List.of("dev"))).isFalse();
    assertThat(OfflineProvider.isDefaultInProduction("offline:planner", List.of("test"))).isFalse();
    assertThat(OfflineProvider.isDefaultInProduction("openai:gpt-5", List.of("prod"))).isFalse();
  }
}
