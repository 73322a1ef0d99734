package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A point in a script where model calls block until the test opens it. */
public final class Gate {

  private static final long TIMEOUT_SECONDS = 120;
  private static final Set<Gate> ALL = ConcurrentHashMap.newKeySet();

  private final CountDownLatch open = new CountDownLatch(1);
  private final Semaphore arrived = new Semaphore(0);
  private final Semaphore interrupted = new Semaphore(0);
  private final AtomicInteger passed = new AtomicInteger();

  public Gate() {
    ALL.add(this);
  }

  /** Opens all gates, because a failed test may leave calls blocked. */
  static void openAll() {
    ALL.forEach(Gate::open);
    ALL.clear();
  }

  /** Lets all calls pass, those that wait and those that arrive later. */
  public void open() {
    open.countDown();
  }

  /** Blocks the test until {@code calls} more model calls have arrived at this gate. */
  public void awaitArrivals(int calls) {
    await(arrived, calls, "model calls arrived at the gate");
  }

  /** Blocks the test until a call that waits at this gate is interrupted. */
  public void awaitInterrupt() {
    await(interrupted, 1, "a model call was interrupted");
  }

  /** The number of calls that have passed. */
  public int passed() {
    return passed.get();
  }

  void pass() throws InterruptedException {
    arrived.release();
    try {
      open.await();
      passed.incrementAndGet();
    } catch (InterruptedException exception) {
      interrupted.release();
      throw exception;
    }
  }

  private static void await(Semaphore counted, int calls, String description) {
    try {
      assertThat(counted.tryAcquire(calls, TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .as(description)
          .isTrue();
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new AssertionError(description, exception);
    }
  }
}
