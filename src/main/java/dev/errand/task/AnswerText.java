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
  static String accepted(Task task) {
    return """
    The task was accepted and runs in the background: %s (%s). You will get a notice with its result; do not wait for it \
    and do not do the same work yourself. Go on with something else, or end your turn.

    %s\
    """
        .formatted(
            task.assignment().description(),
            task.assignment().subagentType(),
            NoticeText.metadata(task, "accepted"));
  }
}
