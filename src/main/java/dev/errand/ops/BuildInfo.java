package dev.errand.ops;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Reports the running version: {@code errand_build_info{version,java}}, always 1. */
@ApplicationScoped
class BuildInfo {

  void register(
      @Observes StartupEvent start,
      @ConfigProperty(name = "quarkus.application.version") String version,
      MeterRegistry registry) {
    Gauge.builder("errand.build.info", () -> 1)
        .tag("version", version)
        .tag("java", Integer.toString(Runtime.version().feature()))
        .register(registry);
  }
}
