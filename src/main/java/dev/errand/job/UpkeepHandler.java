package dev.errand.job;

import dev.errand.node.ScheduledJobLog;
import dev.errand.node.Upkeep;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.arc.All;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import org.jboss.logging.Logger;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.server.runner.ThreadLocalJobContext;

/**
 * Runs an upkeep on a worker thread. A name that this version does not know does nothing. Public
 * because JobRunr calls it by reflection.
 */
@Singleton
public class UpkeepHandler implements JobRequestHandler<UpkeepJob> {

  private static final Logger LOG = Logger.getLogger(UpkeepHandler.class);

  private final List<Upkeep> upkeeps;
  private final JobRunrServer jobRunr;
  private final ScheduledJobLog log;
  private final MeterRegistry registry;
  private volatile boolean stopping;

  UpkeepHandler(
      @All List<Upkeep> upkeeps,
      JobRunrServer jobRunr,
      ScheduledJobLog log,
      MeterRegistry registry) {
    this.upkeeps = upkeeps;
    this.jobRunr = jobRunr;
    this.log = log;
    this.registry = registry;
  }

  /** Interrupts the upkeep. Another node, or this node after its next start, does what is left. */
  void stop(@Observes @Priority(1) ShutdownEvent stop) {
    stopping = true;
  }

  @Override
  public void run(UpkeepJob job) {
    jobRunr.release(ThreadLocalJobContext.getJobContext().getJobId());
    upkeeps.stream()
        .filter(upkeep -> upkeep.name().equals(job.name()))
        .findFirst()
        .ifPresentOrElse(this::run, () -> LOG.warnf("There is no upkeep %s", job.name()));
  }

  /**
   * Runs an upkeep. When it fails, the job fails, which its row shows, and runs again at its next
   * time.
   */
  private void run(Upkeep upkeep) {
    try {
      upkeep.run(() -> stopping);
      log.succeeded(upkeep.name());
    } catch (RuntimeException | Error fault) {
      log.failed(upkeep.name(), fault);
      registry.counter("errand.step.failures", "step", upkeep.name()).increment();
      throw fault;
    }
  }
}
