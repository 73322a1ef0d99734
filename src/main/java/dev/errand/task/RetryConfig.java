package dev.errand.task;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/**
 * The waits between failed attempts of a task. The number of attempts is part of the agent's
 * definition.
 */
@ConfigMapping(prefix = "errand.task-retry")
public interface RetryConfig {

  /**
   * The longest wait before the second attempt; each further attempt doubles it. The wait itself is
   * random between zero and this limit, and due attempts are searched once a second. Default 2 s. A
   * shorter wait recovers sooner; a longer one spares an overloaded model.
   */
  @WithDefault("2s")
  Duration firstDelay();

  /** The limit of every wait. Default 60 s. The task's time-out continues to run meanwhile. */
  @WithDefault("60s")
  Duration longestDelay();
}
