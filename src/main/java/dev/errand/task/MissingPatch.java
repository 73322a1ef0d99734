package dev.errand.task;

/** Why an ended task has no patch. */
public final class MissingPatch {

  private MissingPatch() {}

  public static String why(Task task) {
    var changes = task.changes();
    if (changes == null) {
      return "%s worked in the workspace of its parent; only tasks with isolation: worktree have a patch"
          .formatted(task.id());
    }
    if (changes.truncated()) {
      return "the changes of %s are too large to be stored; its copy of the workspace is kept until its session is deleted"
          .formatted(task.id());
    }
    return "the changes of %s are not available: %s"
        .formatted(
            task.id(),
            changes.notes().isEmpty()
                ? "its copy of the workspace could not be read when it ended"
                : String.join(" ", changes.notes()));
  }
}
