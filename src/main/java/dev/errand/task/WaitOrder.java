package dev.errand.task;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The order of children that wait for the same reason, as one number: first the priority, then age
 * or a round. The lowest is the first.
 */
final class WaitOrder {

  /** The range of one priority for ages, in microseconds, or for rounds. */
  static final long BAND = 10_000_000_000_000_000L;

  private static final int HIGHEST = 100;

  private WaitOrder() {}

  /** Returns the first number of a priority; the last one is {@link #BAND} higher. */
  static long of(int priority) {
    return (HIGHEST - priority) * BAND;
  }

  /** Returns the place of a task: of two tasks with the same priority, the older task is first. */
  static long of(int priority, Instant createdAt) {
    return of(priority) + ChronoUnit.MICROS.between(Instant.EPOCH, createdAt);
  }
}
