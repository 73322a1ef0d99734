package dev.errand.task;

import java.time.Instant;

/**
 * A task at the moment it ends.
 *
 * @param task as read after its end, in the transaction that ends it
 */
public record EndedTask(Task task, TaskOutcome outcome, Instant endedAt) {

  /** Milliseconds from its start, or from its creation when it never started. */
  public long executionTimeMs() {
    var from = task.startedAt() == null ? task.createdAt() : task.startedAt();
    return endedAt.toEpochMilli() - from.toEpochMilli();
  }
}
