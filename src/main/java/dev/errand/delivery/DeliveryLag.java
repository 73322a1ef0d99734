package dev.errand.delivery;

import dev.errand.outbox.Delivery;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;

/**
 * Measures the time from a task's end to the delivery of its result, and from a session's message
 * to its delivery to the callback.
 */
@Singleton
class DeliveryLag {

  private final MeterRegistry registry;
  private final Clock clock;

  DeliveryLag(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  Duration of(Delivery delivery) {
    return Duration.between(delivery.owedSince(), clock.instant());
  }

  void delivered(Delivery delivery) {
    Timer.builder("errand.delivery.lag")
        .tag("target", delivery.target())
        .register(registry)
        .record(of(delivery));
  }
}
