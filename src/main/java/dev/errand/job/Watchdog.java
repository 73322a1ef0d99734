package dev.errand.job;

import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Restarts JobRunr. Its server stops for good at the first failed heartbeat, and PostgreSQL may be
 * restarted at any time (architecture, rule 7).
 */
@Singleton
public class Watchdog {

  private static final Logger LOG = Logger.getLogger(Watchdog.class);

  /**
   * The time in which a new server must announce itself, even on a busy machine, before it is
   * replaced. A server that was processing jobs before is replaced at once.
   */
  private static final Duration ANNOUNCE_LIMIT = Duration.ofSeconds(5);

  private final JobRunrServer jobRunr;
  private final Jdbi jdbi;
  private final Counter restarts;
  private volatile @Nullable Long stoppedAt;
  private volatile boolean wasProcessing;

  Watchdog(JobRunrServer jobRunr, Jdbi jdbi, MeterRegistry registry) {
    this.jobRunr = jobRunr;
    this.jdbi = jdbi;
    this.restarts = registry.counter("errand.jobrunr.restarts");
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenWanted("Watchdog", this::isNeeded, this::look));
  }

  /** Returns false while JobRunr runs and was running at the last check. */
  private boolean isNeeded() {
    return !jobRunr.isProcessing() || !wasProcessing || stoppedAt != null;
  }

  void look() {
    wasProcessing |= jobRunr.isProcessing();
    if (jobRunr.isProcessing() || jobRunr.isDraining() || !isDatabaseAvailable()) {
      stoppedAt = null;
      return;
    }
    if (stoppedAt == null) {
      stoppedAt = System.nanoTime();
    }
    if (jobRunr.wasStartedBefore(wasProcessing ? Duration.ZERO : ANNOUNCE_LIMIT)) {
      LOG.warn("JobRunr has stopped although the database is available; restarting it");
      restarts.increment();
      wasProcessing = false;
      jobRunr.restart();
    }
  }

  /**
   * Returns how long JobRunr has been stopped although the database is available, restarts
   * included. Zero while JobRunr runs or the database is unavailable.
   */
  public Duration stoppedFor() {
    var since = stoppedAt;
    return since == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }

  private boolean isDatabaseAvailable() {
    try {
      return jdbi.withHandle(
          handle -> handle.createQuery("select true").mapTo(Boolean.class).one());
    } catch (JdbiException away) {
      return false;
    }
  }
}
