package dev.errand.session;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** How often notices may wake a root session. */
@ConfigMapping(prefix = "errand.wakes")
public interface WakesConfig {

  /**
   * The number of consecutive turns that notices may start without a user message between them;
   * further notices wait for the next turn. Default 3. More lets an agent continue by itself for
   * longer; fewer bounds sooner the cost of two agents that keep each other busy. 0: notices start
   * no turn.
   */
  @WithDefault("3")
  @Min(0)
  @Max(1000)
  int inARow();
}
