package dev.errand.api;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts again when the last count is too old: one that was quick is never reused, one that was
 * slow is kept for twenty times as long as it took. However often somebody asks, and however much
 * there is, counting takes no more than a twentieth of one connection's time.
 *
 * @param <T> what is counted
 */
final class CostlyCount<T> {

  private static final long QUICK = Duration.ofMillis(50).toNanos();
  private static final long KEPT = 20;

  private final Supplier<T> count;
  private final LongSupplier nanoTime;
  private @Nullable T last;
  private long until;

  /**
   * @param count what it costs is the time it takes
   */
  CostlyCount(Supplier<T> count, LongSupplier nanoTime) {
    this.count = count;
    this.nanoTime = nanoTime;
  }

  /** One counts at a time; whoever asks meanwhile waits, and gets what was counted. */
  synchronized T get() {
    var from = nanoTime.getAsLong();
    var kept = last;
    if (kept != null && from - until < 0) {
      return kept;
    }
    var counted = count.get();
    var now = nanoTime.getAsLong();
    var took = now - from;
    last = counted;
    until = took < QUICK ? now : now + KEPT * took;
    return counted;
  }
}
