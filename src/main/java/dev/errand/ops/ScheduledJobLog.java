package dev.errand.ops;

import dev.errand.postgres.TransientDatabaseError;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.scheduler.SuccessfulExecution;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Logs when a scheduled job fails and when it works again. Jobs run every few seconds: an
 * unavailable database is logged once for each job, any other failure every time.
 */
@ApplicationScoped
class ScheduledJobLog {

  private static final Logger LOG = Logger.getLogger(ScheduledJobLog.class);

  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  void failed(@Observes FailedExecution job) {
    var fault = job.getException();
    if (!TransientDatabaseError.is(fault)) {
      LOG.errorf(fault, "%s failed; the next execution tries again", name(job.getExecution()));
    } else if (failing.add(name(job.getExecution()))) {
      LOG.warnf("%s waits for the database: %s", name(job.getExecution()), innermost(fault));
    }
  }

  void succeeded(@Observes SuccessfulExecution job) {
    if (failing.remove(name(job.getExecution()))) {
      LOG.infof("%s works again", name(job.getExecution()));
    }
  }

  private static String name(ScheduledExecution job) {
    return job.getTrigger().getMethodDescription();
  }

  private static String innermost(Throwable fault) {
    return fault.getCause() == null ? fault.toString() : innermost(fault.getCause());
  }
}
