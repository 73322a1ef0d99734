package dev.errand.tool.mcp;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time when a call times out: after the server's time-out without an answer and without
 * progress, and in any case after ten times that.
 */
final class CallDeadline {

  private static final int MAX_TIMES = 10;

  private final Duration timeout;
  private final LongSupplier nanoTime;
  private final long began;
  private volatile long lastSign;
  private volatile boolean hasProgress;

  CallDeadline(Duration timeout, LongSupplier nanoTime) {
    this.timeout = timeout;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
    this.lastSign = began;
  }

  /** Returns the longest time that a call with this time-out can take. */
  static Duration longest(Duration timeout) {
    return timeout.multipliedBy(MAX_TIMES);
  }

  /** Extends the deadline, because the server works on the call. */
  void progressed() {
    hasProgress = true;
    lastSign = nanoTime.getAsLong();
  }

  /** Returns the milliseconds until the call times out; 0 or less if it has. */
  long millisLeft() {
    return Math.min(
        timeout.toMillis() - millisSince(lastSign),
        longest(timeout).toMillis() - millisSince(began));
  }

  /** Returns what the server did not do in time, as part of a sentence. */
  String missed() {
    if (!hasProgress) {
      return "did not answer within " + McpErrors.text(timeout);
    }
    return millisSince(began) >= longest(timeout).toMillis()
        ? "did not finish within " + McpErrors.text(longest(timeout))
        : "reported no progress for " + McpErrors.text(timeout);
  }

  private long millisSince(long instant) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - instant);
  }
}
