package dev.errand.kit;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Removes the meters of an application that stops. A test with a profile of its own starts another
 * application in the same process, whose gauges would otherwise show the objects of the first.
 */
@ApplicationScoped
class FreshMeters {

  private final MeterRegistry registry;

  FreshMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  void clear(@Observes @Priority(Integer.MAX_VALUE) ShutdownEvent stop) {
    registry.clear();
  }
}
