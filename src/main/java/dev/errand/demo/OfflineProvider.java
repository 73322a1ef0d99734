package dev.errand.demo;

import dev.errand.model.LanguageModel;
import dev.errand.model.ModelProvider;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The provider of the one model that needs no network, {@code offline:planner}. */
@Singleton
final class OfflineProvider implements ModelProvider {

  @Override
  public String name() {
    return "offline";
  }

  @Override
  public Optional<String> problem(String model) {
    return model.equals("planner")
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
