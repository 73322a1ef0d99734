package dev.errand.session;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** How often notices may make a root session go on by itself. */
@ConfigMapping(prefix = "errand.wakes")
public interface WakesConfig {

  /**
   * How many turns in a row notices may begin without a user message between them (C7); further
   * ones wait for the next. Default 3. More lets an agent work on by itself for longer; fewer
   * bounds sooner what a pair of agents that keep each other busy costs. 0: a notice begins no
   * turn.
   */
  @WithDefault("3")
  @Min(0)
  @Max(1000)
  int inARow();
}
