package dev.errand.api;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.task.TaskOutcome;
import dev.errand.task.Task;
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
    Task.Spent usage,
    Task.@Nullable Delivery delivery,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Long queueMs,
    @Nullable Long runMs) {

  static TaskView of(Task task) {
    var assignment = task.assignment();
    var progress = task.progress();
    var ending = task.ended().map(Task.Ended::ending);
    var endedAt = task.ended().map(Task.Ended::endedAt).orElse(null);
    return new TaskView(
        task.id(),
        task.kin().child(),
        task.kin().parent(),
        task.kin().root(),
        assignment.subagentType(),
        assignment.description(),
        assignment.words().label(),
        assignment.words().command(),
        assignment.manner().background(),
        progress.state().word(),
        assignment.manner().priority(),
        assignment.manner().cleanup(),
        assignment.bounds().timeoutMs(),
        assignment.bounds().maxTurns(),
        assignment.bounds().model(),
        progress.attempts(),
        progress.takeovers(),
        ending.map(TaskOutcome::result).filter(text -> !text.isEmpty()).orElse(null),
        ending.map(TaskOutcome::error).orElse(null),
        ending.map(end -> end.stopReason().word()).orElse(null),
        ending.map(TaskOutcome::partial).orElse(false),
        progress.spent(),
        task.delivery().orElse(null),
        progress.createdAt(),
        progress.startedAt(),
        endedAt,
        between(progress.createdAt(), progress.startedAt()),
        between(progress.startedAt(), endedAt));
  }

  private static @Nullable Long between(@Nullable Instant from, @Nullable Instant to) {
    return from == null || to == null ? null : Duration.between(from, to).toMillis();
  }
}
