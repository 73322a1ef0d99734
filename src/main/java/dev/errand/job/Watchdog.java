package dev.errand.job;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Brings JobRunr back. Its server stops for good at the first heartbeat that fails, and PostgreSQL
 * may be restarted at any time (architecture, rule 7).
 */
@ApplicationScoped
public class Watchdog {

  private static final Logger LOG = Logger.getLogger(Watchdog.class);

  /**
   * A server that was just started announces itself within this time, also where the processor is
   * busy; one that has not is tried no longer. One that was seen at work is missed at once.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final JobRunrServer jobRunr;
  private final Jdbi jdbi;
  private final Counter restarts;
  private volatile @Nullable Long stoppedAt;
  private volatile boolean seenAtWork;

  Watchdog(JobRunrServer jobRunr, Jdbi jdbi, MeterRegistry registry) {
    this.jobRunr = jobRunr;
    this.jdbi = jdbi;
    this.restarts = registry.counter("errand.jobrunr.restarts");
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void look() {
    seenAtWork |= jobRunr.isProcessing();
    if (jobRunr.isProcessing() || jobRunr.isDraining() || !databaseAnswers()) {
      stoppedAt = null;
      return;
    }
    if (stoppedAt == null) {
      stoppedAt = System.nanoTime();
    }
    if (jobRunr.wasStartedBefore(seenAtWork ? Duration.ZERO : PATIENCE)) {
      LOG.warn("JobRunr has stopped although the database answers; it is started again");
      restarts.increment();
      seenAtWork = false;
      jobRunr.restart();
    }
  }

  /**
   * For how long JobRunr has been stopped although the database answers, starting it again
   * included; zero while it runs, and while there is nothing to run it on.
   */
  public Duration stoppedFor() {
    var since = stoppedAt;
    return since == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }

  private boolean databaseAnswers() {
    try {
      return jdbi.withHandle(
          handle -> handle.createQuery("select true").mapTo(Boolean.class).one());
    } catch (JdbiException away) {
      return false;
    }
  }
}
