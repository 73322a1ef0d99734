package dev.errand.node;

import dev.errand.postgres.SqlErrors;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.scheduler.SuccessfulExecution;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Logs when a scheduled job, a sweep or an upkeep fails and when it works again. Most run every few
 * seconds: an unavailable database is logged once for each, any other failure every time.
 */
@Singleton
public class ScheduledJobLog {

  private static final Logger LOG = Logger.getLogger(ScheduledJobLog.class);

  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  void failed(@Observes FailedExecution job) {
    failed(name(job.getExecution()), job.getException());
  }

  void succeeded(@Observes SuccessfulExecution job) {
    succeeded(name(job.getExecution()));
  }

  public void failed(String job, Throwable fault) {
    if (!SqlErrors.isTransient(fault)) {
      LOG.errorf(fault, "%s failed; the next execution tries again", job);
    } else if (failing.add(job)) {
      LOG.warnf("%s waits for the database: %s", job, innermost(fault));
    }
  }

  public void succeeded(String job) {
    if (failing.remove(job)) {
      LOG.infof("%s works again", job);
    }
  }

  private static String name(ScheduledExecution job) {
    return job.getTrigger().getMethodDescription();
  }

  private static String innermost(Throwable fault) {
    return fault.getCause() == null ? fault.toString() : innermost(fault.getCause());
  }
}
