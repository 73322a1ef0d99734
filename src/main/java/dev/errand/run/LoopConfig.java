package dev.errand.run;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** Retries of model calls. */
@ConfigMapping(prefix = "errand.model-retry")
public interface LoopConfig {

  /**
   * The number of attempts for one model call. Default 5. More attempts bridge longer outages; with
   * fewer, the parent learns of a failure sooner.
   */
  @WithDefault("5")
  @Min(1)
  @Max(100)
  int attempts();

  /**
   * The longest wait before the second attempt; each further attempt doubles it. The wait itself is
   * random between zero and this limit. Default 1 s. A shorter wait answers sooner after a short
   * failure; a longer one spares an overloaded endpoint.
   */
  @WithDefault("1s")
  Duration firstDelay();

  /** The limit of every wait, including one that the provider asks for. Default 30 s. */
  @WithDefault("30s")
  Duration longestDelay();
}
