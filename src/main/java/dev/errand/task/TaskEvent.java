package dev.errand.task;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.UsageTotals;
import dev.errand.session.CallKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The data of an event about a task. One component per field of the wire format; unknown fields are
 * left out.
 *
 * @param sessionId the child
 * @param accepted only for {@code subagent.created}
 * @param end only for the end
 * @param usage so far for a progress event, the total for an end
 * @param lastTool the tool that started last; only for a progress event
 * @param origin where the parent's conversation takes place, as its creator gave it
 */
@JsonInclude(Include.NON_NULL)
record TaskEvent(
    TaskId taskId,
    SessionId sessionId,
    SessionId parentSessionId,
    String subagentType,
    String description,
    @Nullable String label,
    boolean background,
    String state,
    @JsonUnwrapped @Nullable AcceptedData accepted,
    @JsonUnwrapped @Nullable EndData end,
    @Nullable UsageTotals usage,
    @Nullable String lastTool,
    @Nullable JsonNode origin) {

  /**
   * The data that only the first event of a task has.
   *
   * @param parentCall the call that delegated the task; left out when a client submitted it
   */
  @JsonInclude(Include.NON_NULL)
  record AcceptedData(@Nullable CallKey parentCall, String model, Instant createdAt) {}

  /**
   * The data about the end of a task.
   *
   * @param result the beginning of its result
   * @param resultLength of the whole result, in characters
   */
  @JsonInclude(Include.NON_NULL)
  record EndData(
      String stopReason,
      boolean partial,
      String result,
      int resultLength,
      long executionTimeMs,
      TaskOutcome.@Nullable Error error) {

    private static final int MAX_RESULT = 2_000;

    private static EndData of(Task task, TaskOutcome outcome) {
      return new EndData(
          outcome.stopReason().word(),
          outcome.partial(),
          TextCut.head(outcome.result(), MAX_RESULT),
          outcome.result().length(),
          task.runMs(),
          outcome.error());
    }
  }

  static TaskEvent created(Task task, @Nullable JsonNode origin) {
    var call = task.parentCall();
    var accepted =
        new AcceptedData(call == null ? null : CallKey.parse(call), task.model(), task.createdAt());
    return of(task, accepted, null, null, origin);
  }

  static TaskEvent started(Task task, @Nullable JsonNode origin) {
    return of(task, null, null, null, origin);
  }

  static TaskEvent progressed(
      Task task, UsageTotals soFar, @Nullable String lastTool, @Nullable JsonNode origin) {
    return of(task, null, soFar, lastTool, origin);
  }

  /**
   * @param task as read after its end
   */
  static TaskEvent ended(Task task, @Nullable JsonNode origin) {
    return of(task, null, task.usage(), null, origin);
  }

  private static TaskEvent of(
      Task task,
      @Nullable AcceptedData accepted,
      @Nullable UsageTotals usage,
      @Nullable String lastTool,
      @Nullable JsonNode origin) {
    return new TaskEvent(
        task.id(),
        task.child(),
        task.parent(),
        task.subagentType(),
        task.description(),
        task.label(),
        task.background(),
        task.state().word(),
        accepted,
        task.outcome().map(outcome -> EndData.of(task, outcome)).orElse(null),
        usage,
        lastTool,
        origin);
  }
}
