package dev.errand;

import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduler;
import io.quarkus.vertx.http.HttpServerStart;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Singleton;

/**
 * Starts the scheduler, which is configured to start halted, when nothing can stop the start any
 * more: no scheduled method runs or logs an error while a broken agent file, an invalid setting or
 * a port in use stops the start.
 */
@Singleton
class SchedulerStart {

  private final Scheduler scheduler;

  SchedulerStart(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The port is open. */
  void listening(@ObservesAsync HttpServerStart start) {
    EarlyStop.end();
    scheduler.resume();
  }

  /** A reload in development mode keeps the port open and fires no {@link HttpServerStart}. */
  void reloaded(@Observes @Priority(Integer.MAX_VALUE) StartupEvent start) {
    if (LaunchMode.current() == LaunchMode.DEVELOPMENT) {
      EarlyStop.end();
      scheduler.resume();
    }
  }
}
