package dev.errand.postgres;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;

/** How long rows that nobody needs any more are kept. */
@ConfigMapping(prefix = "errand.retention")
public interface RetentionConfig {

  /**
   * After how long without any change a tree of sessions is deleted: transcripts, tasks, results
   * and deliveries. Default 30 days, at least 4: a webhook may be repeated for more than three, and
   * its receiver and we know a repeat by its row. A tree in which a task lives, or a delivery is
   * pending or dead, stays. Longer keeps more to read, shorter keeps the database small.
   */
  @WithDefault("30d")
  @DurationMin(days = 4)
  Duration sessions();

  /**
   * After how long an event is deleted. Default 30 days, at least 1 hour. Whoever resumes a stream
   * from before then misses what was deleted.
   */
  @WithDefault("30d")
  @DurationMin(hours = 1)
  Duration events();

  /**
   * After how long JobRunr's record of a job that failed is deleted. Default 1 day, at least 10
   * minutes. Sessions do not need it: one whose job failed gets another. Longer leaves more time to
   * look into it.
   */
  @WithDefault("1d")
  @DurationMin(minutes = 10)
  Duration jobs();
}
