package dev.errand.run;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** How runs share a node's workers. */
@ConfigMapping(prefix = "errand.run")
public interface RunConfig {

  /**
   * After how long a run gives its worker to others, at a turn boundary. Default 5 min. Shorter is
   * fairer when all workers are busy; longer saves claims.
   */
  @WithDefault("5m")
  Duration yieldAfter();

  /**
   * How many workers may die over one session without a saved turn before it fails. Default 3. More
   * tolerates a restless cluster; fewer stops sooner what kills its worker.
   */
  @WithDefault("3")
  @Min(1)
  @Max(100)
  int takeovers();

  /**
   * How long a node that stops lets its runs reach a turn boundary, before it takes them from what
   * they are doing. Default 20 s. Longer wastes fewer model calls and leaves fewer tool calls in
   * doubt; shorter stops sooner. The grace period of whoever stops the process must be some 15 s
   * longer.
   */
  @WithDefault("20s")
  Duration drainFor();
}
