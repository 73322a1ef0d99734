package dev.errand.node;

import java.util.concurrent.Semaphore;

/** Wakes the one thread that waits for it. Signals that arrive before the thread looks are one. */
final class Signal {

  private final Semaphore raised = new Semaphore(0);
  private volatile boolean closed;

  void raise() {
    raised.release();
  }

  /**
   * Blocks until the signal is raised or closed.
   *
   * @return false when the signal is closed
   */
  boolean await() {
    raised.acquireUninterruptibly();
    raised.drainPermits();
    return !closed;
  }

  /** Ends {@link #await()}, now and from now on. */
  void close() {
    closed = true;
    raised.release();
  }
}
