package dev.errand.job;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How JobRunr runs on this node. */
@ConfigMapping(prefix = "errand.jobrunr")
public interface JobConfig {

  /**
   * The number of sessions that this node runs at the same time. Default 1000: a run costs a
   * virtual thread and some memory, and database connections are shared. A lower number protects a
   * small model endpoint; a higher one helps when models are slow.
   */
  @WithDefault("1000")
  @Bounds(min = "1")
  int workers();

  /**
   * How often JobRunr renews its own row of this node. Default 15 s, at least 5 s. Queued sessions
   * are looked for once a second, whatever this is.
   */
  @WithDefault("15s")
  Duration pollInterval();
}
