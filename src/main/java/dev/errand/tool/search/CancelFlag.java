package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;
import java.time.Duration;

/**
 * Stops the threads of one search: when the call is cancelled or a thread is interrupted, which is
 * a failure, or when the time of the search is over, after which it reports what it has found.
 */
final class CancelFlag {

  /** A search that takes longer is useless to a model, and delays the searches of others. */
  static final Duration BUDGET = Duration.ofSeconds(20);

  private final long endsAt;
  private volatile boolean cancelled;

  CancelFlag() {
    this(BUDGET);
  }

  CancelFlag(Duration budget) {
    this.endsAt = System.nanoTime() + budget.toNanos();
  }

  /** The search is out of time: its current file is left. */
  static final class TimeIsOver extends RuntimeException {

    private static final long serialVersionUID = 1;

    private TimeIsOver() {
      super("the time of the search is over", null, false, false);
    }
  }

  void cancel() {
    cancelled = true;
  }

  boolean isLate() {
    return System.nanoTime() - endsAt >= 0;
  }

  boolean isCancelled() {
    return cancelled || Thread.currentThread().isInterrupted();
  }

  /** Returns whether the search looks at nothing more. */
  boolean stops() {
    return isCancelled() || isLate();
  }

  /**
   * @throws ToolFailure the call is cancelled
   */
  void throwIfCancelled() {
    if (isCancelled()) {
      throw ToolFailure.interrupted();
    }
  }

  /**
   * @throws ToolFailure the call is cancelled
   * @throws TimeIsOver the search is out of time
   */
  void throwIfStopped() {
    throwIfCancelled();
    if (isLate()) {
      throw new TimeIsOver();
    }
  }
}
