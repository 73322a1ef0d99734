package dev.errand.run;

import dev.errand.setting.Bounds;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Configuration of runs on a node's workers. */
@ConfigMapping(prefix = "errand.run")
public interface RunConfig {

  /**
   * The time after which a run yields its worker at a turn boundary. Default 5 min. A shorter time
   * is fairer when all workers are busy; a longer one saves claims.
   */
  @WithDefault("5m")
  Duration yieldAfter();

  /**
   * The number of workers that may die over one session without a saved turn before the run fails.
   * Default 3. More tolerates an unstable cluster; fewer stops a session that kills its workers
   * sooner.
   */
  @WithDefault("3")
  @Bounds(min = "1", max = "100")
  int takeovers();

  /**
   * The time in which the runs of a stopping node may reach a turn boundary before they are
   * interrupted. Default 20 s. A longer time wastes fewer model calls and leaves fewer tool calls
   * with an unknown outcome; a shorter one stops sooner. The grace period of the process must be
   * about 45 s longer.
   */
  @WithDefault("20s")
  Duration drainFor();

  /**
   * The number of tool calls that one external session may have executed at the same time; further
   * calls are refused with a time after which to try again. Default 16. Calls that wait for a
   * foreground task do not count. More suits agents that make many calls at once; fewer leaves more
   * of a node to others.
   */
  @WithDefault("16")
  @Bounds(min = "1", max = "1000")
  int maxToolCalls();

  /**
   * The memory that this node's runs may need together, as estimated: 40 KB for each, and 4 bytes
   * for each character of its conversation while it is loaded. Default half of the largest Java
   * heap. A run that would exceed it waits without a worker until there is room. More lets a node
   * drive more runs; less leaves more of the heap to everything else.
   */
  @Bounds(min = "1M")
  Optional<MemorySize> maxMemory();
}
