package dev.errand.task;

import java.util.Locale;

/** Where a task stands (R7). */
public enum TaskState {
  PENDING,
  RUNNING,
  COMPLETED,
  FAILED,
  CANCELLED,
  TIMED_OUT;

  /** Whether it can still change. */
  public boolean isLive() {
    return this == PENDING || this == RUNNING;
  }

  /** The word in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static TaskState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
