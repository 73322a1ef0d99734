package dev.errand.retention;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The clean-up of children with {@code cleanup: delete}. */
@ConfigMapping(prefix = "errand.cleanup")
interface CleanupConfig {

  /**
   * How long after the end of its task the transcript of a child is kept for an external parent
   * without a callback that does not acknowledge the result. Default 24 h, at least 1 s. A longer
   * time leaves slow clients more time to read, a shorter one keeps the database small.
   */
  @WithDefault("24h")
  @Bounds(min = "1s")
  Duration unread();
}
