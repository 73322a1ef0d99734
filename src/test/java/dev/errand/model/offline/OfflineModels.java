package dev.errand.model.offline;

import dev.errand.model.ModelProvider;

/** Lets tests of other packages have the planner. */
public final class OfflineModels {

  private OfflineModels() {}

  public static ModelProvider provider() {
    return new OfflineProvider();
  }
}
