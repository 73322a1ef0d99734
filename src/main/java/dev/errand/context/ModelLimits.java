package dev.errand.context;

import dev.errand.model.ContextWindows;
import jakarta.inject.Singleton;

/** The limits of what is sent to each model. */
@Singleton
public class ModelLimits {

  private final ContextWindows windows;
  private final ContextConfig config;

  ModelLimits(ContextWindows windows, ContextConfig config) {
    this.windows = windows;
    this.config = config;
  }

  /** Returns the limits for a model, {@code provider:name}. */
  public ContextLimits of(String model) {
    return ContextLimits.of(windows.of(model), config);
  }
}
