package dev.errand.run;

import java.time.Duration;
import java.util.concurrent.Callable;

/** What a run's surroundings tell its loop. Implemented by the runner. */
public interface RunControl {

  /** Whether the loop should end {@code Interrupted} at the next turn boundary. */
  boolean shouldYield();

  /**
   * Does something long – a model call, a tool – on a thread of its own, and interrupts that thread
   * when the run loses its session.
   *
   * @throws dev.errand.session.LeaseLost the run lost its session meanwhile
   */
  <T> T interruptibly(Callable<T> work);

  /**
   * Waits.
   *
   * @throws dev.errand.session.LeaseLost the run lost its session meanwhile
   */
  void pause(Duration duration);
}
