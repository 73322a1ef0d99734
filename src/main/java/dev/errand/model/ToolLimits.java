package dev.errand.model;

import dev.errand.tenant.TenantModels;
import jakarta.inject.Singleton;
import java.util.stream.Stream;

/** The number of tools that a request may have. */
@Singleton
public class ToolLimits {

  private final ModelConfig config;
  private final Fallbacks fallbacks;

  ToolLimits(ModelConfig config, Fallbacks fallbacks) {
    this.config = config;
    this.fallbacks = fallbacks;
  }

  /**
   * Returns the lowest limit of a model, {@code provider:name}, and its fallbacks, so that the
   * beginning of a request stays the same, and in the caches of providers, when a fallback is
   * called. {@link Integer#MAX_VALUE} if none has a limit.
   */
  public int of(String model, TenantModels tenant) {
    return Stream.concat(Stream.of(model), fallbacks.of(model, tenant).stream())
        .mapToInt(this::ofOne)
        .min()
        .orElseThrow();
  }

  private int ofOne(String model) {
    return switch (model.split(":", 2)[0]) {
      case "anthropic" -> config.anthropic().maxTools().orElse(Integer.MAX_VALUE);
      case "ollama" -> config.ollama().maxTools();
      case "offline" -> Integer.MAX_VALUE;
      default -> config.openai().maxTools();
    };
  }
}
