package dev.errand.node;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Callers that wait for a condition in the database. One query checks the condition for all of
 * them, and none keeps a connection while it waits.
 *
 * @param <K> what a caller waits for; several callers may wait for the same key
 */
public final class Waiters<K> {

  private final Map<CountDownLatch, K> waiting = new ConcurrentHashMap<>();
  private final UnaryOperator<Set<K>> findDone;
  private volatile boolean closed;

  /**
   * @param findDone returns those of the given keys for which the condition is true
   */
  public Waiters(UnaryOperator<Set<K>> findDone) {
    this.findDone = findDone;
  }

  /**
   * Blocks until the condition is true for {@code key}.
   *
   * @param limit how long to wait at most; zero checks once
   * @return whether the condition is true
   */
  public boolean await(K key, Duration limit) throws InterruptedException {
    var latch = new CountDownLatch(1);
    waiting.put(latch, key);
    try {
      if (!findDone.apply(Set.of(key)).isEmpty()) {
        return true;
      }
      return !closed && latch.await(limit.toNanos(), TimeUnit.NANOSECONDS) && !closed;
    } finally {
      waiting.remove(latch);
    }
  }

  /** Releases all callers, and makes later calls return at once: the process stops. */
  public void close() {
    closed = true;
    waiting.keySet().forEach(CountDownLatch::countDown);
  }

  /** Returns the number of callers that wait now. */
  public int size() {
    return waiting.size();
  }

  /** Returns whether any caller waits now. */
  public boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /** Checks the condition and releases the callers for which it is true. */
  public void check() {
    var keys = Set.copyOf(waiting.values());
    if (keys.isEmpty()) {
      return;
    }
    var done = findDone.apply(keys);
    waiting.forEach((latch, key) -> {
      if (done.contains(key)) {
        latch.countDown();
      }
    });
  }
}
