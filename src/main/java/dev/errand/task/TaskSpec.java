package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.permission.Rights;
import dev.errand.secret.Secrets;
import dev.errand.session.NewSession.SessionSpec;
import dev.errand.task.Task.Cleanup;
import dev.errand.task.Task.TaskKind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task as planned: the request with every default filled in.
 *
 * @param label the caller's short name for the task
 * @param command the slash command that the task comes from
 * @param timeoutMs milliseconds from the first start
 * @param notes what the caller should know about how the request was understood
 * @param rights of the child session
 */
record TaskSpec(
    TaskKind kind,
    String subagentType,
    String description,
    String prompt,
    @Nullable String label,
    @Nullable String command,
    boolean background,
    Cleanup cleanup,
    int priority,
    String model,
    int maxTurns,
    long timeoutMs,
    Isolation isolation,
    @Nullable Thoroughness thoroughness,
    List<String> notes,
    Rights rights) {

  /**
   * Fills in the defaults of a request, and masks its secrets.
   *
   * @param timeout of the agent
   */
  static TaskSpec of(
      TaskSubmission submission,
      SessionSpec child,
      Duration timeout,
      Isolation isolation,
      List<String> notes,
      Rights rights) {
    var request = submission.request();
    return new TaskSpec(
        submission.kind(),
        child.agent(),
        Secrets.masked(request.description()),
        Secrets.masked(request.prompt()),
        masked(request.label()),
        masked(request.command()),
        request.inBackground(),
        Objects.requireNonNullElse(request.cleanup(), Cleanup.KEEP),
        Objects.requireNonNullElse(request.priority(), 0),
        child.model(),
        child.maxTurns(),
        Objects.requireNonNullElse(request.timeoutMs(), timeout.toMillis()),
        isolation,
        request.thoroughness(),
        notes,
        rights);
  }

  private static @Nullable String masked(@Nullable String text) {
    return text == null ? null : Secrets.masked(text);
  }
}
