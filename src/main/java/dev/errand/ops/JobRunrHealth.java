package dev.errand.ops;

import dev.errand.job.JobRunrServer;
import dev.errand.job.Watchdog;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/**
 * Reports whether this node can process jobs, and whether a new process would help if it cannot.
 */
@Singleton
class JobRunrHealth {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  /**
   * Reports not live when JobRunr stays stopped although the database is available and JobRunr was
   * restarted several times: only a new process helps then. An unavailable database is no reason to
   * restart.
   */
  @Produces
  @Singleton
  @Liveness
  HealthCheck live(Watchdog watchdog) {
    return () ->
        HealthCheckResponse.named("JobRunr runs, or has no database to run on")
            .status(watchdog.stoppedFor().compareTo(LIMIT) < 0)
            .build();
  }

  /** Reports ready and started when this node accepts jobs; the migrations are complete by then. */
  @Produces
  @Singleton
  @Readiness
  @Startup
  HealthCheck ready(JobRunrServer jobRunr) {
    return () ->
        HealthCheckResponse.named("JobRunr processes jobs").status(jobRunr.isProcessing()).build();
  }
}
