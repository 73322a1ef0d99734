package dev.errand.time;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The delay before a retry: exponential, with full jitter.
 *
 * @param first the upper bound of the delay before the second attempt
 * @param longest the upper bound of every delay
 */
public record Backoff(Duration first, Duration longest) {

  private static final int MAX_DOUBLINGS = 20;

  /**
   * Returns a random delay between zero and {@code first}, doubled for each failed attempt after
   * the first.
   *
   * @param failed the number of failed attempts, at least 1
   */
  public Duration after(int failed) {
    var doubled = first.toMillis() << Math.min(failed - 1, MAX_DOUBLINGS);
    var ceiling = Math.min(longest.toMillis(), doubled);
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling + 1));
  }
}
