package dev.errand.session;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** For how many rounds results may keep a root session going without its user. */
@ConfigMapping(prefix = "errand.wakes")
public interface WakesConfig {

  /**
   * The generation from which on the notice of a task does not wake a root session. A task that a
   * user's turn delegates has generation 0, one that its result makes the agent delegate has 1, and
   * so on. Default 3. More lets an agent continue by itself for longer; fewer bounds sooner the
   * cost of agents that keep each other busy. 0: no notice starts a turn.
   */
  @WithDefault("3")
  @Bounds(min = "0", max = "1000")
  int chain();
}
