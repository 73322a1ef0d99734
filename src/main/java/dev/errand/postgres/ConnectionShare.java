package dev.errand.postgres;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A part of the database's connections for one kind of work, which takes turns in the order of its
 * arrival.
 */
public final class ConnectionShare {

  private final Semaphore free;
  private final Duration patience;

  /**
   * @param connections that the work uses at a time, at least 1
   * @param patience how long work waits for its turn
   */
  public ConnectionShare(int connections, Duration patience) {
    this.free = new Semaphore(Math.max(1, connections), true);
    this.patience = patience;
  }

  /**
   * Does the work when it is its turn. The work does not take a turn itself.
   *
   * @param late what is thrown when the turn did not come in time; nothing was done
   */
  public <T> T take(Supplier<T> work, Supplier<? extends RuntimeException> late) {
    if (!isTurn()) {
      throw late.get();
    }
    try {
      return work.get();
    } finally {
      free.release();
    }
  }

  private boolean isTurn() {
    try {
      return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
