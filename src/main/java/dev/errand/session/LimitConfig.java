package dev.errand.session;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Min;
import java.util.OptionalLong;

/** What delegation may use (R8). 0 means none, never unlimited. */
@ConfigMapping(prefix = "errand.limits")
public interface LimitConfig {

  /** What becomes of a background task whose parent has enough of them running. */
  enum BackgroundPolicy {
    /** It is accepted and starts when another one ends. */
    QUEUE,
    /** It is refused, with advice for the model. */
    REJECT
  }

  /**
   * How deep sessions may be nested; a root has depth 0, its children 1. Default 5. Deeper lets
   * agents divide work further, shallower keeps them from passing it on without end. A root session
   * may have its own.
   */
  @WithDefault("5")
  @Min(0)
  int maxDepth();

  /**
   * Tasks one root session and everything below it may delegate, over its whole life. Default 64.
   * More suits sessions that live long, fewer stops a runaway sooner. A root session may have its
   * own.
   */
  @WithDefault("64")
  @Min(0)
  int maxDelegations();

  /**
   * Background tasks that one parent has running at a time. Default 10. More finishes wide work
   * sooner, fewer leaves workers and model endpoints to others. A root session may have its own.
   */
  @WithDefault("10")
  @Min(0)
  int maxBackgroundTasks();

  /** Default {@code queue}. With {@code reject} the model decides itself what to do first. */
  @WithDefault("queue")
  BackgroundPolicy backgroundPolicy();

  /**
   * Tasks of a tenant that may wait for their start or their next attempt; further ones are refused
   * with a time to come back. Default 1000. More takes higher peaks, fewer tells callers of
   * congestion sooner.
   */
  @WithDefault("1000")
  @Min(0)
  int maxPending();

  /**
   * Input and output tokens that one root session and everything below it may use. Absent: no
   * limit. Lower bounds what a session can cost. A root session may have its own.
   */
  @Min(0)
  OptionalLong maxTokens();
}
