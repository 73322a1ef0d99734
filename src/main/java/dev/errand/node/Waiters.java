package dev.errand.node;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Callers that wait until something is so in the database. However many wait, one query looks for
 * all of them, and none holds a connection meanwhile.
 *
 * @param <K> what is waited for; several may wait for the same
 */
public final class Waiters<K> {

  private final Map<CountDownLatch, K> waiting = new ConcurrentHashMap<>();
  private final UnaryOperator<Set<K>> thoseThatAre;
  private volatile boolean closed;

  /**
   * @param thoseThatAre answers which of these are so by now
   */
  public Waiters(UnaryOperator<Set<K>> thoseThatAre) {
    this.thoseThatAre = thoseThatAre;
  }

  /**
   * Blocks until it is so.
   *
   * @param limit how long at most; zero only looks
   * @return whether it was seen to be so
   */
  public boolean await(K key, Duration limit) throws InterruptedException {
    var latch = new CountDownLatch(1);
    waiting.put(latch, key);
    try {
      if (!thoseThatAre.apply(Set.of(key)).isEmpty()) {
        return true;
      }
      return !closed && latch.await(limit.toNanos(), TimeUnit.NANOSECONDS) && !closed;
    } finally {
      waiting.remove(latch);
    }
  }

  /** Lets everybody go on, now and from now on: the process stops. */
  public void close() {
    closed = true;
    waiting.keySet().forEach(CountDownLatch::countDown);
  }

  /** How many wait now. */
  public int size() {
    return waiting.size();
  }

  /** Looks, and lets those go on for whom it is so. */
  public void check() {
    var keys = Set.copyOf(waiting.values());
    if (keys.isEmpty()) {
      return;
    }
    var done = thoseThatAre.apply(keys);
    waiting.forEach((latch, key) -> {
      if (done.contains(key)) {
        latch.countDown();
      }
    });
  }
}
