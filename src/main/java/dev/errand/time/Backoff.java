package dev.errand.time;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before something is tried again: full jitter, doubling.
 *
 * @param first the longest wait before the second try
 * @param longest no wait is longer
 */
public record Backoff(Duration first, Duration longest) {

  private static final int MAX_DOUBLINGS = 20;

  /**
   * Drawn between zero and {@code first}, doubled with each failed try.
   *
   * @param failed how many tries have failed, at least 1
   */
  public Duration after(int failed) {
    var doubled = first.toMillis() << Math.min(failed - 1, MAX_DOUBLINGS);
    var ceiling = Math.min(longest.toMillis(), doubled);
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling + 1));
  }
}
