package dev.errand.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.permission.Layer;
import dev.errand.permission.Rights;
import dev.errand.task.TaskChanges;
import dev.errand.task.TaskNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A task as clients see it. One component per field of the wire format.
 *
 * @param waitsFor what it or its child waits for; null when it does not wait
 * @param delivery null while the task is live
 * @param redacted whether its words were deleted after the parent received the result ({@code
 *     cleanup: delete}): description and error message are empty, label, command and result null
 * @param queueMs milliseconds from its creation to its start; null while it is pending
 * @param runMs milliseconds from its start to its end; null until then
 * @param thoroughness how far the agent explore goes; null when the caller did not say
 * @param notes sentences of the service for the caller, such as which model took the place of an
 *     alias that is not configured
 * @param permissions of its child: every layer must allow a call. Left out of lists, as {@code
 *     tools} is
 * @param tools that its child may call at all, when the task was accepted
 * @param changes what a task with {@code isolation: worktree} changed; left out while it is live,
 *     and for other tasks
 */
public record TaskView(
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
    @Nullable WaitView waitsFor,
    int priority,
    String cleanup,
    String isolation,
    long timeoutMs,
    int maxTurns,
    String model,
    int attempts,
    int takeovers,
    @Nullable String result,
    @Nullable Failure error,
    @Nullable String stopReason,
    boolean partial,
    UsageTotals usage,
    @Nullable TaskDelivery delivery,
    boolean redacted,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Long queueMs,
    @Nullable Long runMs,
    @Nullable String thoroughness,
    List<String> notes,
    @JsonInclude(Include.NON_NULL) @Nullable List<Layer> permissions,
    @JsonInclude(Include.NON_NULL) @Nullable List<String> tools,
    @JsonInclude(Include.NON_NULL) @Nullable TaskChanges changes) {

  /** The reason why it did not complete. */
  public record Failure(String code, @Nullable String message) {}

  /** The state of the delivery of its result. */
  public record TaskDelivery(
      String state,
      int attempts,
      @Nullable Instant deliveredAt,
      @Nullable Instant consumedAt,
      @Nullable String lastError) {}

  /**
   * @param rights of its child; null in a list
   */
  static TaskView of(TaskRow row, @Nullable Rights rights) {
    var changes = TaskChanges.read(row.changes);
    return new TaskView(
        new TaskId(row.id),
        new SessionId(row.childId),
        new SessionId(row.parentSessionId),
        new SessionId(row.rootSessionId),
        row.subagentType,
        row.description,
        row.label,
        row.command,
        row.background,
        row.state,
        WaitView.of(row.waitsFor, row.waitsSince, row.waitsUntil),
        row.priority,
        row.cleanup,
        row.isolation,
        row.timeoutMs,
        row.maxTurns,
        row.model,
        row.attempts,
        row.takeovers,
        row.result,
        row.errorCode == null ? null : new Failure(row.errorCode, row.errorMessage),
        row.stopReason,
        row.partial,
        new UsageTotals(
            row.inputTokens,
            row.cachedInputTokens,
            row.outputTokens,
            row.turns,
            row.toolCalls,
            Cost.ofMicros(row.cost)),
        delivery(row),
        row.redacted,
        row.createdAt,
        row.startedAt,
        row.endedAt,
        between(row.createdAt, row.startedAt),
        between(row.startedAt, row.endedAt),
        row.thoroughness,
        notes(row, changes),
        rights == null ? null : rights.permissions(),
        rights == null ? null : rights.tools(),
        changes);
  }

  private static List<String> notes(TaskRow row, @Nullable TaskChanges changes) {
    var notes = TaskNotes.read(row.notes);
    return changes == null
        ? notes
        : Stream.concat(notes.stream(), changes.notes().stream()).distinct().toList();
  }

  private static @Nullable TaskDelivery delivery(TaskRow row) {
    return row.deliveryState == null
        ? null
        : new TaskDelivery(
            row.deliveryState,
            Objects.requireNonNull(row.deliveryAttempts),
            row.deliveredAt,
            row.consumedAt,
            row.lastError);
  }

  private static @Nullable Long between(@Nullable Instant from, @Nullable Instant to) {
    return from == null || to == null ? null : Duration.between(from, to).toMillis();
  }
}
