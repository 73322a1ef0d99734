package dev.errand.postgres;

import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Stops the embedded database after everybody who still writes has stopped. */
@ApplicationScoped
class LastToStop {

  void stop(@Observes @Priority(Integer.MAX_VALUE) ShutdownEvent stop) {
    EmbeddedDatabase.stopCurrent();
  }
}
