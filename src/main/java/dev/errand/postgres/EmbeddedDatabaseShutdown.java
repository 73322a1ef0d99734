package dev.errand.postgres;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.scheduler.Scheduler;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Stops the embedded database after everything that writes to it, scheduled jobs included. */
@ApplicationScoped
class EmbeddedDatabaseShutdown {

  private final Scheduler scheduler;

  EmbeddedDatabaseShutdown(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void stop(@Observes @Priority(Integer.MAX_VALUE) ShutdownEvent stop) {
    scheduler.pause();
    EmbeddedDatabase.stopCurrent();
  }
}
