package dev.errand.model.offline;

import dev.errand.model.LanguageModel;
import dev.errand.model.ModelNames;
import dev.errand.model.ModelProvider;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigUtils;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** The provider of the one model that needs no network, {@code offline:planner}. */
@Singleton
final class OfflineProvider implements ModelProvider {

  private static final Logger LOG = Logger.getLogger(OfflineProvider.class);

  void warn(
      @Observes StartupEvent start,
      ModelNames names,
      @ConfigProperty(name = "errand.model") String defaultModel) {
    if (isDefaultInProduction(names.resolve(defaultModel), ConfigUtils.getProfiles())) {
      LOG.warn(
          "The default model is offline:planner: it follows fixed rules and can only search files."
              + " Set ERRAND_MODEL to a language model, for example anthropic:claude-sonnet-4-5");
    }
  }

  static boolean isDefaultInProduction(String defaultModel, List<String> profiles) {
    return defaultModel.equals("offline:planner") && profiles.contains("prod");
  }

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

  /** It reads everything, and it cannot summarise. */
  @Override
  public OptionalInt contextTokens(String model) {
    return OptionalInt.of(Integer.MAX_VALUE);
  }
}
