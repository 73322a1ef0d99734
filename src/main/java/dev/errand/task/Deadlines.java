package dev.errand.task;

import dev.errand.postgres.AfterCommit;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One timer per node, set to the next time-out that it knows of (R3): whoever claims a task sets
 * it, and when it goes off the database tells the next. It only says when to look; the database
 * clock decides what is over, and without the timer the sweep finds it within a second.
 */
@ApplicationScoped
class Deadlines {

  private static final Logger LOG = Logger.getLogger(Deadlines.class);

  private static final Duration SHORTEST = Duration.ofMillis(20);

  private final TaskStore tasks;
  private final AfterCommit afterCommit;
  private final ScheduledThreadPoolExecutor timer;
  private volatile Runnable sweep = () -> {};
  private @Nullable ScheduledFuture<?> next;
  private long nextAt;

  Deadlines(TaskStore tasks, AfterCommit afterCommit) {
    this.tasks = tasks;
    this.afterCommit = afterCommit;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("deadlines").factory());
    this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.timer.setRemoveOnCancelPolicy(true);
  }

  /** What is done whenever a time-out is due. */
  void whenDue(Runnable action) {
    sweep = action;
  }

  /** A task of this node is over in {@code left}; counts once the transaction has committed. */
  void arm(Duration left) {
    afterCommit.run(() -> set(left));
  }

  private synchronized void set(Duration left) {
    var at = System.nanoTime() + left.toNanos();
    if (timer.isShutdown() || (next != null && !next.isDone() && nextAt - at <= 0)) {
      return;
    }
    if (next != null) {
      next.cancel(false);
    }
    nextAt = at;
    next = timer.schedule(this::due, left.toNanos(), TimeUnit.NANOSECONDS);
  }

  private synchronized void forget() {
    next = null;
  }

  /** Around one tick: whatever fails here is found by the sweep of the next second. */
  private void due() {
    forget();
    try {
      sweep.run();
      tasks.nextDeadline().map(Deadlines::atLeastAWhile).ifPresent(this::set);
    } catch (RuntimeException fault) {
      LOG.warn("Looking for time-outs failed; the next sweep tries again", fault);
    }
  }

  /** What is overdue and could not be ended must not keep the timer going off. */
  private static Duration atLeastAWhile(Duration left) {
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  void stop(@Observes ShutdownEvent stop) {
    timer.shutdown();
  }
}
