package dev.errand.delivery;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** How persistent the relay is. */
@ConfigMapping(prefix = "errand.outbox")
public interface OutboxConfig {

  /**
   * How often a row may fail on its way into a session before it is dead, 1 to 100. Default 10,
   * which is about a quarter of an hour. A busy session or database is no failure. More bears
   * longer trouble; fewer tells an operator sooner.
   */
  @WithDefault("10")
  @Min(1)
  @Max(100)
  int attempts();
}
