package dev.errand.worktree;

import dev.errand.conversation.TaskId;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder of one copy.
 *
 * @param task that the child was created for
 */
record Worktree(TaskId task, Path folder) {

  /** The workspace of the child. */
  Path tree() {
    return folder.resolve("tree");
  }

  /** The git directory of the service. */
  Path git() {
    return folder.resolve("git");
  }

  /** Exists once {@code tree} was complete: if the tree is missing then, it was lost. */
  Path mark() {
    return folder.resolve("checked-out");
  }

  boolean isCheckedOut() {
    return Files.isDirectory(tree());
  }

  /** Whether this node sees the folder. */
  boolean isHere() {
    return Files.isDirectory(git()) && (isCheckedOut() || Files.notExists(mark()));
  }
}
