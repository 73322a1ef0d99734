package dev.errand.task;

import dev.errand.conversation.Word;

/** The state of a task. */
public enum TaskState implements Word {
  PENDING,
  RUNNING,
  COMPLETED,
  FAILED,
  CANCELLED,
  TIMED_OUT;

  /** Returns whether the task has not ended. */
  public boolean isLive() {
    return this == PENDING || this == RUNNING;
  }
}
