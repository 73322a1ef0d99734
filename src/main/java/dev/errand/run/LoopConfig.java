package dev.errand.run;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** How patient the loop is with models. */
@ConfigMapping(prefix = "errand.model-retry")
public interface LoopConfig {

  /**
   * How often one model call is tried, the first time included. Default 5. More rides out longer
   * outages; fewer tells the parent of a failure sooner.
   */
  @WithDefault("5")
  @Min(1)
  @Max(100)
  int attempts();

  /**
   * The longest wait before the second try; each further one doubles it. The wait itself is drawn
   * between zero and that. Default 1 s. Shorter answers sooner after a blip; longer spares an
   * endpoint in trouble.
   */
  @WithDefault("1s")
  Duration firstDelay();

  /** No wait is longer, not even one the provider asks for. Default 30 s. */
  @WithDefault("30s")
  Duration longestDelay();
}
