package dev.errand.api;

import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches a count that is expensive: the result of a large count is kept for 20 times as long as
 * counting took, the result of a small count is not kept. Independent of the number of requests,
 * counting uses at most a twentieth of the time of one connection.
 *
 * @param <T> the type of the result
 */
final class CachedCount<T> {

  private static final long KEPT = 20;

  private final Supplier<T> count;
  private final Predicate<T> isLarge;
  private final LongSupplier nanoTime;
  private @Nullable T last;
  private long until;

  /**
   * @param isLarge whether a result is kept. The size decides, not the time, because everything is
   *     slow on a busy machine
   */
  CachedCount(Supplier<T> count, Predicate<T> isLarge, LongSupplier nanoTime) {
    this.count = count;
    this.isLarge = isLarge;
    this.nanoTime = nanoTime;
  }

  /** Returns the count. One thread counts at a time; the others wait for its result. */
  synchronized T get() {
    var from = nanoTime.getAsLong();
    var kept = last;
    if (kept != null && from - until < 0) {
      return kept;
    }
    var counted = count.get();
    var now = nanoTime.getAsLong();
    last = isLarge.test(counted) ? counted : null;
    until = now + KEPT * (now - from);
    return counted;
  }
}
