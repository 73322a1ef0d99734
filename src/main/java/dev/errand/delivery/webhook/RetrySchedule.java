package dev.errand.delivery.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * When a post that failed is tried again.
 *
 * @param waits the wait before each attempt, the first included
 * @param random draws from 0 to 1
 */
record RetrySchedule(List<Duration> waits, DoubleSupplier random) {

  private static final double LEAST = 0.8;
  private static final double SPREAD = 0.4;

  /** The wait after that many failed attempts, 20 % more or less; empty when they were all. */
  Optional<Duration> after(int attempts) {
    if (attempts >= waits.size()) {
      return Optional.empty();
    }
    var factor = LEAST + SPREAD * random.getAsDouble();
    return Optional.of(Duration.ofMillis(Math.round(waits.get(attempts).toMillis() * factor)));
  }

  /** No receiver can ask for more. */
  Duration longest() {
    return waits.stream().max(Duration::compareTo).orElse(Duration.ZERO);
  }
}
