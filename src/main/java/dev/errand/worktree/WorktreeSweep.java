package dev.errand.worktree;

import dev.errand.conversation.TaskId;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.worktree.WorktreeStore.Worktree;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes the folders of copies, on every node: those whose child is closed or deleted, and those
 * that belong to no task because a process died. The folder goes before its row, so that a process
 * that dies in the meantime begins again. Several nodes may share the directory.
 */
@Singleton
class WorktreeSweep {

  private static final int BATCH = 50;

  private final WorktreeStore store;
  private final Folders folders;
  private final IsolatedSteps steps;
  private final WorktreesConfig config;
  private final Clock clock;

  WorktreeSweep(
      WorktreeStore store,
      Folders folders,
      IsolatedSteps steps,
      WorktreesConfig config,
      Clock clock) {
    this.store = store;
    this.folders = folders;
    this.steps = steps;
    this.config = config;
    this.clock = clock;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Worktrees", WorktreeStore.SOME, this::removeUnneeded).every(2));
    // The directory may be a slow one, so it is looked at by the sweep and not by its condition.
    sweeps.add(Sweep.whenWanted("Stray worktrees", () -> true, this::removeStrays).every(2));
  }

  private void removeUnneeded() {
    steps.forEachIsolated(
        "remove_worktree",
        store.notNeeded(BATCH),
        worktree -> {
          delete(worktree);
          Failpoint.WORKTREE_DELETED.pass();
          store.forget(worktree);
        });
  }

  private void removeStrays() {
    steps.forEachIsolated("remove_stray_worktree", strays(), this::delete);
  }

  private void delete(Worktree worktree) {
    try {
      folders.delete(worktree.folder());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Folders without a row that are old enough that no submission is about to write it. */
  private List<Worktree> strays() {
    var old = new ArrayList<Worktree>();
    var dir = config.dir().toAbsolutePath().normalize();
    if (Files.isDirectory(dir)) {
      var before = clock.millis() - config.strayAfter().toMillis();
      try (DirectoryStream<Path> folders = Files.newDirectoryStream(dir)) {
        for (var folder : folders) {
          var task = TaskId.parse(folder.getFileName().toString());
          if (task.isPresent() && Files.getLastModifiedTime(folder).toMillis() < before) {
            old.add(new Worktree(task.get(), folder));
          }
        }
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    if (old.isEmpty()) {
      return old;
    }
    var known = store.known(old.stream().map(Worktree::task).toList());
    old.removeIf(worktree -> known.contains(worktree.task()));
    return old;
  }
}
