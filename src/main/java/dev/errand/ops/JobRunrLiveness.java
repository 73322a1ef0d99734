package dev.errand.ops;

import dev.errand.job.Watchdog;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/**
 * Not live when JobRunr stays stopped although the database is available and JobRunr was restarted
 * several times: only a new process helps then. An unavailable database is no reason to restart.
 */
@Liveness
@ApplicationScoped
class JobRunrLiveness implements HealthCheck {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Watchdog watchdog;

  JobRunrLiveness(Watchdog watchdog) {
    this.watchdog = watchdog;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("JobRunr runs, or has no database to run on")
        .status(watchdog.stoppedFor().compareTo(LIMIT) < 0)
        .build();
  }
}
