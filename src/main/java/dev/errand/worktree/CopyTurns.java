package dev.errand.worktree;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a node record few copies at the same time, in the order in which they were asked for,
 * because each of them reads a whole workspace and writes it to the disk.
 */
@Singleton
class CopyTurns {

  private final Semaphore free;

  @Inject
  CopyTurns() {
    this(Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  CopyTurns(int atOnce) {
    this.free = new Semaphore(atOnce, true);
  }

  /**
   * Does the work when it is its turn.
   *
   * @param patience how long the caller waits for it; null: until it comes
   * @return empty if the turn did not come in time; nothing was done
   */
  <T> Optional<T> take(@Nullable Duration patience, Supplier<T> work) {
    if (!isTurn(patience)) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.get());
    } finally {
      free.release();
    }
  }

  private boolean isTurn(@Nullable Duration patience) {
    if (patience == null) {
      free.acquireUninterruptibly();
      return true;
    }
    try {
      return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
