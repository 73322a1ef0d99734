package dev.errand.task;

import dev.errand.postgres.AfterCommit;
import dev.errand.time.Alarm;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * A timer of the node, set to the next time-out that the node knows. A claim sets it; when it
 * fires, the next time-out is read from the database. The timer only says when to look: the
 * database's clock decides which tasks have timed out, and without the timer the sweep finds them
 * within a second.
 */
@Singleton
class Deadlines {

  private static final Logger LOG = Logger.getLogger(Deadlines.class);

  /** The pause before another look when a task that is overdue could not be ended. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final OverdueTasks overdue;
  private final AfterCommit afterCommit;
  private final Alarm alarm = new Alarm("deadlines", this::due);
  private volatile Runnable sweep = () -> {};

  Deadlines(OverdueTasks overdue, AfterCommit afterCommit) {
    this.overdue = overdue;
    this.afterCommit = afterCommit;
  }

  /** Sets the action that ends the tasks that have timed out. */
  void whenDue(Runnable action) {
    sweep = action;
  }

  /**
   * Sets the timer for a task of this node that times out in {@code left}; takes effect after the
   * commit.
   */
  void arm(Duration left) {
    afterCommit.run(() -> alarm.set(left));
  }

  /** Ends the tasks that are due. After a failure, the next sweep finds them within a second. */
  private void due() {
    try {
      sweep.run();
      overdue.nextDeadline().map(Deadlines::orPause).ifPresent(alarm::set);
    } catch (RuntimeException fault) {
      LOG.warn("Ending timed-out tasks failed; the next sweep tries again", fault);
    }
  }

  private static Duration orPause(Duration left) {
    return left.isPositive() ? left : PAUSE;
  }

  void stop(@Observes ShutdownEvent stop) {
    alarm.stop();
  }
}
