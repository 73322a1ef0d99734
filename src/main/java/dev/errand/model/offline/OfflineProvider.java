package dev.errand.model.offline;

import dev.errand.model.LanguageModel;
import dev.errand.model.ModelProvider;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Models that need no network; there is one, the planner. */
@Singleton
final class OfflineProvider implements ModelProvider {

  private static final String PLANNER = "planner";

  @Override
  public String name() {
    return "offline";
  }

  @Override
  public Optional<String> problem(String model) {
    return model.equals(PLANNER)
        ? Optional.empty()
        : Optional.of(
            "There is no model 'offline:%s'; the one that needs no network is offline:planner."
                .formatted(model));
  }

  @Override
  public LanguageModel model(String model) {
    return new OfflinePlanner();
  }
}
