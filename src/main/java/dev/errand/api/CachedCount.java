package dev.errand.api;

import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts again when the last count is too old: one of much is kept for twenty times as long as it
 * took, one of little is never used twice. However often somebody asks, counting takes no more than
 * a twentieth of one connection's time.
 *
 * @param <T> what is counted
 */
final class CachedCount<T> {

  private static final long KEPT = 20;

  private final Supplier<T> count;
  private final Predicate<T> isMuch;
  private final LongSupplier nanoTime;
  private @Nullable T last;
  private long until;

  /**
   * @param isMuch whether there was so much that it may be kept; not the time decides, for a busy
   *     machine makes everything slow
   */
  CachedCount(Supplier<T> count, Predicate<T> isMuch, LongSupplier nanoTime) {
    this.count = count;
    this.isMuch = isMuch;
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
    last = isMuch.test(counted) ? counted : null;
    until = now + KEPT * (now - from);
    return counted;
  }
}
