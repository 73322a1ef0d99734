package dev.errand.task.notice;

import dev.errand.conversation.UntrustedText;
import dev.errand.task.SubmitResult;
import dev.errand.task.Task;
import java.util.Objects;

/** The answers to a parent's {@code task} and {@code spawn} calls. */
public final class AnswerText {

  private AnswerText() {}

  /**
   * Returns the answer of a foreground task that has ended: the child's answer, then how to
   * continue the child.
   */
  public static String of(Task ended) {
    var outcome = ended.end();
    var problem = outcome.problem();
    var words =
        problem == null
            ? UntrustedText.quoted(outcome.result())
            : "The task ended %s (%s): %s%s"
                .formatted(
                    outcome.state().word(),
                    problem.code(),
                    UntrustedText.quoted(problem.message()),
                    NoticeText.saidSoFar(outcome));
    var changes = NoticeText.changes(ended);
    return words
        + "\n\n"
        + (changes.isEmpty() ? "" : changes + "\n\n")
        + NoticeText.metadata(ended);
  }

  /** Returns the answer that a subagent was spawned. */
  public static String spawned(Task task) {
    var label = Objects.requireNonNullElse(task.label(), "");
    return """
    Subagent '%s' started (id: %s). You will get a notice when it is done; continue with something else, or end your turn.

    %s\
    """
        .formatted(NoticeText.label(label), task.id(), NoticeText.metadata(task, "accepted"));
  }

  /** Returns the answer that a background task was accepted. */
  public static String accepted(SubmitResult.Accepted accepted) {
    var task = accepted.task();
    return """
    The task was accepted and %s: %s (%s). You will get a notice with its result; do not wait for it \
    and do not do the same work yourself. Continue with something else, or end your turn.

    %s\
    """
        .formatted(
            accepted.queuedBehind() == 0
                ? "runs in the background"
                : "is queued behind %d of your running or waiting tasks; it starts after them"
                    .formatted(accepted.queuedBehind()),
            UntrustedText.line(task.description()),
            task.subagentType(),
            NoticeText.metadata(task, "accepted"));
  }
}
