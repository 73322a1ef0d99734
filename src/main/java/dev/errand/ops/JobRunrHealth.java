package dev.errand.ops;

import dev.errand.job.JobRunrServer;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/** Ready and started when this node accepts jobs; the migrations are complete by then. */
@Readiness
@Startup
@ApplicationScoped
class JobRunrHealth implements HealthCheck {

  private final JobRunrServer jobRunr;

  JobRunrHealth(JobRunrServer jobRunr) {
    this.jobRunr = jobRunr;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("JobRunr processes jobs")
        .status(jobRunr.isProcessing())
        .build();
  }
}
