package dev.errand.task;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How long failed attempts of tasks wait for the next one (R5); how many there are, agents say. */
@ConfigMapping(prefix = "errand.task-retry")
public interface RetryConfig {

  /**
   * The longest wait before the second attempt; each further one doubles it. The wait itself is
   * drawn between zero and that, and due attempts are looked for once a second. Default 2 s.
   * Shorter recovers sooner after a blip; longer leaves a model in trouble more time.
   */
  @WithDefault("2s")
  Duration firstDelay();

  /** No wait is longer. Default 60 s. The task's time-out counts on meanwhile. */
  @WithDefault("60s")
  Duration longestDelay();
}
