package dev.errand.task;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The state of a task. */
public enum TaskState {
  PENDING,
  RUNNING,
  COMPLETED,
  FAILED,
  CANCELLED,
  TIMED_OUT;

  /** Whether the task has not ended. */
  public boolean isLive() {
    return this == PENDING || this == RUNNING;
  }

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static TaskState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
