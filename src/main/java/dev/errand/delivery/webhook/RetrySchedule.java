package dev.errand.delivery.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The schedule of a post's attempts.
 *
 * @param waits the wait before each attempt, including the first
 * @param random draws from 0 to 1
 */
record RetrySchedule(List<Duration> waits, DoubleSupplier random) {

  private static final double LEAST = 0.8;
  private static final double SPREAD = 0.4;

  /**
   * The wait after that many failed attempts, 20 % more or less; empty when there is no attempt
   * left.
   */
  Optional<Duration> after(int attempts) {
    if (attempts >= waits.size()) {
      return Optional.empty();
    }
    var factor = LEAST + SPREAD * random.getAsDouble();
    return Optional.of(Duration.ofMillis(Math.round(waits.get(attempts).toMillis() * factor)));
  }

  /** The longest wait that a receiver can ask for. */
  Duration longest() {
    return waits.stream().max(Duration::compareTo).orElse(Duration.ZERO);
  }
}
