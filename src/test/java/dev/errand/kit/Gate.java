package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Where model calls stand still until the test lets them pass. */
public final class Gate {

  private static final long PATIENCE_SECONDS = 10;
  private static final Set<Gate> ALL = ConcurrentHashMap.newKeySet();

  private final CountDownLatch open = new CountDownLatch(1);
  private final Semaphore arrived = new Semaphore(0);
  private final Semaphore interrupted = new Semaphore(0);
  private final AtomicInteger passed = new AtomicInteger();

  public Gate() {
    ALL.add(this);
  }

  /** Lets go what a failed test left standing. */
  static void openAll() {
    ALL.forEach(Gate::open);
    ALL.clear();
  }

  /** Lets all pass, now and later. */
  public void open() {
    open.countDown();
  }

  /** Blocks the test until {@code calls} more model calls stand here. */
  public void awaitArrivals(int calls) {
    await(arrived, calls, "model calls did not arrive");
  }

  /** Blocks the test until a call that stood here was interrupted. */
  public void awaitInterrupt() {
    await(interrupted, 1, "no model call was interrupted");
  }

  /** How many went through. */
  public int passed() {
    return passed.get();
  }

  void pass() throws InterruptedException {
    arrived.release();
    try {
      open.await();
      passed.incrementAndGet();
    } catch (InterruptedException stopped) {
      interrupted.release();
      throw stopped;
    }
  }

  private static void await(Semaphore counted, int calls, String otherwise) {
    try {
      assertThat(counted.tryAcquire(calls, PATIENCE_SECONDS, TimeUnit.SECONDS))
          .as(otherwise)
          .isTrue();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError(otherwise, stopped);
    }
  }
}
