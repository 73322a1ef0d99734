package dev.errand.job;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** How JobRunr runs on this node. */
@ConfigMapping(prefix = "errand.jobrunr")
public interface JobConfig {

  /**
   * Runs that this node drives at once. Default 1000: a run costs a virtual thread and some memory,
   * and the database connections are shared. Lower protects a small model endpoint; higher helps
   * when models are slow.
   */
  @WithDefault("1000")
  @Min(1)
  int workers();

  /**
   * How often JobRunr looks for jobs and renews those it runs, when no hint wakes it. Default 15 s,
   * at least 5 s. Shorter finds lost hints sooner; each poll rewrites the row of every running job.
   */
  @WithDefault("15s")
  Duration pollInterval();
}
