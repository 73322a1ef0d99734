package dev.errand.node;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A slow clean-up that runs once for all nodes and may be late by minutes. Each bean of this type
 * is a recurring JobRunr job (architecture, rule 6); no promise depends on it. The next run repeats
 * what a failed or aborted one has left, and two runs at once do no harm.
 */
public interface Upkeep {

  /** A verb and what it is done to, such as {@code delete_old_events}. It identifies the job. */
  String name();

  /** Returns how often it runs. */
  default Duration every() {
    return Duration.ofMinutes(10);
  }

  /**
   * Does a part of the work, such as one batch.
   *
   * @return whether more is left, so that it is called again
   */
  boolean runSome();

  /**
   * Does the work until nothing is left.
   *
   * @param isStopping ends it before its next part
   */
  default void run(BooleanSupplier isStopping) {
    while (!isStopping.getAsBoolean() && runSome()) {
      // The next part follows at once.
    }
  }
}
