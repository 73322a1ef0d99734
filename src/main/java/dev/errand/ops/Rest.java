package dev.errand.ops;

import java.util.function.LongSupplier;

/**
 * Lets a step that may take long take a small part of the time only: it rests after each time, also
 * after a failure.
 */
final class Rest {

  /** The rest is at least as many times as long as the step was. */
  private static final int TIMES = 300;

  private final LongSupplier nanos;
  private volatile long until;

  Rest() {
    this(System::nanoTime);
  }

  Rest(LongSupplier nanos) {
    this.nanos = nanos;
    this.until = nanos.getAsLong();
  }

  /** Executes the step, unless it rests. */
  void whenOver(Runnable step) {
    var startedAt = nanos.getAsLong();
    if (startedAt - until < 0) {
      return;
    }
    try {
      step.run();
    } finally {
      var endedAt = nanos.getAsLong();
      until = endedAt + TIMES * (endedAt - startedAt);
    }
  }
}
