package dev.errand.demo;

import dev.errand.model.ModelProvider;

/** Gives tests of other packages access to the planner. */
public final class OfflineModels {

  private OfflineModels() {}

  public static ModelProvider provider() {
    return new OfflineProvider();
  }
}
