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
 * Says in the log that a scheduled step fails, and that it works again. Steps come again within
 * seconds, so a database that is away is worth a line for each of them and not one every second; a
 * fault that will not pass by itself is told every time.
 */
@ApplicationScoped
class ScheduledJobLog {

  private static final Logger LOG = Logger.getLogger(ScheduledJobLog.class);

  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  void failed(@Observes FailedExecution step) {
    var fault = step.getException();
    if (!TransientDatabaseError.is(fault)) {
      LOG.errorf(fault, "%s failed; it is tried again", name(step.getExecution()));
    } else if (failing.add(name(step.getExecution()))) {
      LOG.warnf("%s waits for the database: %s", name(step.getExecution()), innermost(fault));
    }
  }

  void succeeded(@Observes SuccessfulExecution step) {
    if (failing.remove(name(step.getExecution()))) {
      LOG.infof("%s works again", name(step.getExecution()));
    }
  }

  private static String name(ScheduledExecution step) {
    return step.getTrigger().getMethodDescription();
  }

  private static String innermost(Throwable fault) {
    return fault.getCause() == null ? fault.toString() : innermost(fault.getCause());
  }
}
