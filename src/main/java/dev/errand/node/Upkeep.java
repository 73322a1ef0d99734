package dev.errand.node;

import java.time.Duration;

/**
 * Slow clean-up that runs once for all nodes and may be late by minutes. Each bean of this type is
 * a recurring JobRunr job (architecture, rule 6); no promise depends on it. The next run repeats
 * what a failed or aborted one has left, and two runs at once do no harm.
 */
public interface Upkeep {

  /** A verb and what it is done to, such as {@code delete_old_events}. It identifies the job. */
  String name();

  /** How often it runs. */
  default Duration every() {
    return Duration.ofMinutes(10);
  }

  void run();
}
