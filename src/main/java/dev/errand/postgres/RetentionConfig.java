package dev.errand.postgres;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The times for which data are kept after they are no longer needed. */
@ConfigMapping(prefix = "errand.retention")
public interface RetentionConfig {

  /**
   * The time after its last change at which a tree of sessions is deleted with its transcripts,
   * tasks, results and deliveries. Default 30 days; at least 4 days, because a webhook is repeated
   * for more than 3 days and its row identifies the repetitions. A tree with a live task, or with a
   * pending or dead delivery, is kept. A longer time keeps more to read, a shorter one keeps the
   * database small.
   */
  @WithDefault("30d")
  @Bounds(min = "4d")
  Duration sessions();

  /**
   * The age at which an event is deleted. Default 30 days, at least 1 hour. A client that resumes a
   * stream from before that misses the deleted events.
   */
  @WithDefault("30d")
  @Bounds(min = "1h")
  Duration events();

  /**
   * The age at which JobRunr's record of a failed job is deleted. Default 1 day, at least 10
   * minutes. Sessions do not need the record: a session whose job failed gets a new one. A longer
   * time leaves more time to investigate.
   */
  @WithDefault("1d")
  @Bounds(min = "10m")
  Duration jobs();

  /**
   * The age at which a row of the audit is deleted. Default 90 days, at least 1 hour. A longer time
   * shows more of what was done, a shorter one keeps the database small.
   */
  @WithDefault("90d")
  @Bounds(min = "1h")
  Duration audit();
}
