package dev.errand.session;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Limits of delegation. 0 means none, never unlimited. */
@ConfigMapping(prefix = "errand.limits")
public interface LimitConfig {

  /** The treatment of a background task whose parent has the maximum number running. */
  enum BackgroundPolicy {
    /** The task is accepted and starts when another one ends. */
    QUEUE,
    /** The task is refused, with advice for the model. */
    REJECT
  }

  /**
   * The maximum depth of sessions; a root has depth 0, its children 1. Default 5. A higher limit
   * lets agents divide work further; a lower one stops agents that keep delegating. A root session
   * may have its own limit.
   */
  @WithDefault("5")
  @Bounds(min = "0")
  int maxDepth();

  /**
   * The number of tasks that a root session and everything below it may delegate between two
   * messages, commands or calls of its client. Default 64. More suits wide work; fewer stops a
   * runaway sooner. A root session may have its own limit.
   */
  @WithDefault("64")
  @Bounds(min = "0")
  int maxDelegations();

  /**
   * The number of tasks that a root session and everything below it may delegate in its whole life.
   * Absent: no limit. A root session may have its own limit.
   */
  @Bounds(min = "0")
  OptionalInt maxDelegationsTotal();

  /**
   * The number of background tasks that one parent may have running at a time. Default 10. More
   * finishes wide work sooner; fewer leaves workers and model endpoints to others. A root session
   * may have its own limit.
   */
  @WithDefault("10")
  @Bounds(min = "0")
  int maxBackgroundTasks();

  /** Default {@code queue}. With {@code reject} the model decides what to do first. */
  @WithDefault("queue")
  BackgroundPolicy backgroundPolicy();

  /**
   * The number of a tenant's tasks that may be pending; further tasks are refused with a time after
   * which to try again. Default 1000. More absorbs higher peaks; fewer reports congestion sooner.
   */
  @WithDefault("1000")
  @Bounds(min = "0")
  int maxPending();

  /**
   * The number of input and output tokens that a root session and everything below it may use,
   * without the input that providers read from their caches. Absent: no limit. A lower limit bounds
   * the cost of a session. A root session may have its own limit.
   */
  @Bounds(min = "0")
  OptionalLong maxTokens();

  /**
   * What the model calls of a root session and everything below it may cost, in the currency of the
   * price list. Absent: no limit. With a limit, models without a price are refused. A root session
   * may have its own limit.
   */
  @Bounds(min = "0", max = "1000000000")
  Optional<BigDecimal> maxCost();

  /**
   * The limits that no client can exceed, whatever it asks for. A cap also narrows the defaults
   * above and the sessions that exist. Absent: clients choose their limits.
   */
  LimitCap cap();

  /** The highest limits of a tree; each of them narrows the limit of the same name. */
  interface LimitCap {
    @Bounds(min = "0")
    OptionalInt maxDepth();

    @Bounds(min = "0")
    OptionalInt maxDelegations();

    @Bounds(min = "0")
    OptionalInt maxDelegationsTotal();

    @Bounds(min = "0")
    OptionalInt maxBackgroundTasks();

    @Bounds(min = "0")
    OptionalLong maxTokens();

    @Bounds(min = "0", max = "1000000000")
    Optional<BigDecimal> maxCost();
  }
}
