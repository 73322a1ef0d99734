package dev.errand.api;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as clients see it. One component per field of the wire format.
 *
 * @param queueMs milliseconds from its creation to its start; null while it is pending
 * @param runMs milliseconds from its start to its end; null until then
 */
record TaskView(
    TaskId id,
    SessionId sessionId,
    SessionId parentSessionId,
    SessionId rootSessionId,
    String subagentType,
    String description,
    @Nullable String label,
    @Nullable String command,
    boolean background,
    String state,
    int priority,
    String cleanup,
    long timeoutMs,
    int maxTurns,
    String model,
    int attempts,
    int takeovers,
    @Nullable String result,
    TaskOutcome.@Nullable Error error,
    @Nullable String stopReason,
    boolean partial,
    UsageTotals usage,
    Task.@Nullable Delivery delivery,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Long queueMs,
    @Nullable Long runMs) {

  static TaskView of(Task task) {
    var outcome = task.outcome();
    return new TaskView(
        task.id(),
        task.child(),
        task.parent(),
        task.root(),
        task.subagentType(),
        task.description(),
        task.label(),
        task.command(),
        task.background(),
        task.state().word(),
        task.priority(),
        task.cleanup().word(),
        task.timeoutMs(),
        task.maxTurns(),
        task.model(),
        task.attempts(),
        task.takeovers(),
        outcome.map(TaskOutcome::result).filter(text -> !text.isEmpty()).orElse(null),
        outcome.map(TaskOutcome::error).orElse(null),
        outcome.map(end -> end.stopReason().word()).orElse(null),
        outcome.map(TaskOutcome::partial).orElse(false),
        task.usage(),
        task.delivery().orElse(null),
        task.createdAt(),
        task.startedAt(),
        task.endedAt(),
        between(task.createdAt(), task.startedAt()),
        between(task.startedAt(), task.endedAt()));
  }

  private static @Nullable Long between(@Nullable Instant from, @Nullable Instant to) {
    return from == null || to == null ? null : Duration.between(from, to).toMillis();
  }
}
