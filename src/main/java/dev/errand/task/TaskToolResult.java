package dev.errand.task;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackView;
import dev.errand.task.notice.AnswerText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result object of a task.
 *
 * @param callback the callback of the task with its secret, in the answer to its submission; absent
 *     without one
 */
@JsonInclude(Include.NON_NULL)
public record TaskToolResult(
    boolean success,
    String title,
    String output,
    Metadata metadata,
    @Nullable CallbackView callback) {

  /**
   * The result's metadata. One component per field of the wire format.
   *
   * @param sessionId the parent
   * @param subSessionId the child
   * @param status {@code accepted} for a background task that was accepted, {@code running} when
   *     the wait for a foreground task ended first, else the task's state
   * @param notes sentences of the service for the caller, such as which model took the place of an
   *     alias that is not configured; left out when there are none
   * @param consoleUrl where a person can watch the task, in the answer that it was accepted or has
   *     not ended; left out when the address of the console is not configured
   * @param changes what a task with {@code isolation: worktree} changed; left out for other tasks
   */
  public record Metadata(
      SessionId sessionId,
      SessionId subSessionId,
      TaskId taskId,
      String subagentType,
      boolean background,
      String status,
      long executionTimeMs,
      @Nullable String stopReason,
      boolean partial,
      UsageTotals usage,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> notes,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String consoleUrl,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TaskChanges changes) {}

  /** Returns the result of accepting a background task. */
  public static TaskToolResult accepted(
      SubmitResult.Accepted accepted, @Nullable String consoleUrl) {
    var task = accepted.task();
    return new TaskToolResult(
        true,
        task.description(),
        AnswerText.accepted(accepted),
        metadata(task, "accepted", consoleUrl),
        null);
  }

  /** Returns the result of a task, ended or live. */
  public static TaskToolResult of(Task task) {
    return of(task, task.state().word(), null);
  }

  /** Returns the result of a foreground task that has not ended, whether it has started or not. */
  public static TaskToolResult running(Task task, @Nullable String consoleUrl) {
    return of(task, TaskState.RUNNING.word(), consoleUrl);
  }

  private static TaskToolResult of(Task task, String status, @Nullable String consoleUrl) {
    return new TaskToolResult(
        task.outcome().map(end -> end.problem() == null).orElse(true),
        task.description(),
        task.outcome().map(TaskToolResult::output).orElse(""),
        metadata(task, status, consoleUrl),
        null);
  }

  public TaskToolResult withCallback(CallbackView shown) {
    return new TaskToolResult(success, title, output, metadata, shown);
  }

  private static String output(TaskOutcome outcome) {
    var error = outcome.error();
    return error == null
        ? outcome.result()
        : error.code()
            + ": "
            + error.message()
            + (outcome.result().isEmpty() ? "" : "\n\n" + outcome.result());
  }

  private static Metadata metadata(Task task, String status, @Nullable String consoleUrl) {
    return new Metadata(
        task.parent(),
        task.child(),
        task.id(),
        task.subagentType(),
        task.background(),
        status,
        task.runMs(),
        task.outcome().map(end -> end.stopReason().word()).orElse(null),
        task.outcome().map(end -> end.partial()).orElse(false),
        task.usage(),
        task.allNotes().isEmpty() ? null : task.allNotes(),
        consoleUrl,
        task.changes());
  }
}
