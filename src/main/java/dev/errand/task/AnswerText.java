package dev.errand.task;

/** What a parent reads as the result of its {@code task} call (D2). */
final class AnswerText {

  private AnswerText() {}

  /** A foreground task has ended: the child's own words, then how to continue it. */
  static String of(TaskOutcome outcome) {
    var ending = outcome.ending();
    var words =
        ending.error() == null
            ? NoticeText.quoted(ending.result())
            : "The task ended %s (%s): %s%s"
                .formatted(
                    ending.state().word(),
                    ending.error().code(),
                    NoticeText.quoted(ending.error().message()),
                    NoticeText.saidSoFar(ending));
    return words + "\n\n" + NoticeText.metadata(outcome);
  }

  /** A background task was accepted. */
  static String accepted(Submission.Accepted accepted) {
    var task = accepted.task();
    return """
    The task was accepted and %s: %s (%s). You will get a notice with its result; do not wait for it \
    and do not do the same work yourself. Go on with something else, or end your turn.

    %s\
    """
        .formatted(
            accepted.queuedBehind() == 0
                ? "runs in the background"
                : "is queued behind %d running background tasks of yours; it starts when one of them ends"
                    .formatted(accepted.queuedBehind()),
            task.assignment().description(),
            task.assignment().subagentType(),
            NoticeText.metadata(task, "accepted"));
  }
}
