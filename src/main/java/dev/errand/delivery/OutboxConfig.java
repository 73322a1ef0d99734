package dev.errand.delivery;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Retries of the relay. */
@ConfigMapping(prefix = "errand.outbox")
public interface OutboxConfig {

  /**
   * The number of failed deliveries into a session after which a row is dead, 1 to 100. Default 10,
   * which takes about a quarter of an hour. A busy session or database does not count. More
   * tolerates longer disturbances; fewer notifies an operator sooner.
   */
  @WithDefault("10")
  @Bounds(min = "1", max = "100")
  int attempts();
}
