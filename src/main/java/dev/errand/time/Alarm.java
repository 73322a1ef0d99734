package dev.errand.time;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls an action at the earliest of the times that were set. It only says when to look: what is
 * due is decided by the clock of the database.
 */
public final class Alarm {

  private final ScheduledThreadPoolExecutor timer;
  private final Runnable action;
  private @Nullable ScheduledFuture<?> next;
  private long nextAt;

  /**
   * @param name of the thread
   * @param action must not throw; called on the alarm's own thread
   */
  public Alarm(String name, Runnable action) {
    this.action = action;
    this.timer =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
    this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.timer.setRemoveOnCancelPolicy(true);
  }

  /** Calls the action in {@code left}, unless it is called earlier anyway. */
  public synchronized void set(Duration left) {
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

  private void due() {
    forget();
    action.run();
  }

  private synchronized void forget() {
    next = null;
  }

  /** Stops the alarm: no action is called any more. */
  public void stop() {
    timer.shutdown();
  }
}
