package dev.errand.worktree;

import dev.errand.worktree.ChangeStore.WorktreeChange;
import dev.errand.worktree.WorktreeStore.Worktree;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Computes what was changed in a copy since its base. */
@Singleton
class Patches {

  private static final Logger LOG = Logger.getLogger(Patches.class);

  private static final int MAX_PATCH_BYTES = 5 << 20;
  private static final int MAX_LIST_BYTES = 64 << 20;

  private static final Map<String, String> STATUS = Map.of("A", "added", "D", "deleted");

  private final Snapshots snapshots;
  private final Git git;

  Patches(Snapshots snapshots, Git git) {
    this.snapshots = snapshots;
    this.git = git;
  }

  /**
   * A change and its patch.
   *
   * @param bytes null when it is too large or the folder could not be read
   */
  record TaskPatch(WorktreeChange change, byte @Nullable [] bytes) {

    static final TaskPatch NONE = new TaskPatch(WorktreeChange.NONE, new byte[0]);
  }

  /**
   * Computes the patch of a copy as it is now; the child may still change it.
   *
   * @param notes what the copy does not contain
   */
  TaskPatch of(Worktree worktree, List<String> notes) {
    if (!worktree.isHere()) {
      return unavailable("The node that ended the task does not see the folder of its worktree.");
    }
    if (!worktree.isCheckedOut()) {
      return TaskPatch.NONE;
    }
    var branch = "end-" + UUID.randomUUID();
    try {
      var all = Stream.concat(notes.stream(), snapshots.recordEnd(worktree, branch).stream());
      return between(worktree, branch, all.distinct().toList());
    } catch (WorktreeRefused tooLarge) {
      var why = "The worktree " + tooLarge.why() + "; its folder is kept.";
      return new TaskPatch(
          new WorktreeChange(
              List.of(), 0, 0, true, false, Stream.concat(notes.stream(), Stream.of(why)).toList()),
          null);
    } catch (IOException | RuntimeException failed) {
      LOG.warnf(
          failed, "The changes of the worktree of task %s could not be read", worktree.task());
      return unavailable("The changes in the worktree could not be read; its folder is kept.");
    } finally {
      forget(worktree, branch);
    }
  }

  /**
   * Each computation has a branch of its own, because a run and a cancel can end a task at once.
   */
  private static void forget(Worktree worktree, String branch) {
    try {
      Files.deleteIfExists(worktree.git().resolve("refs/heads").resolve(branch));
    } catch (IOException kept) {
      LOG.debugf(kept, "The branch %s is kept", branch);
    }
  }

  private static TaskPatch unavailable(String why) {
    return new TaskPatch(WorktreeChange.unavailable(why), null);
  }

  private TaskPatch between(Worktree worktree, String branch, List<String> notes)
      throws IOException {
    var files = new ArrayList<WorktreeChange.ChangedFile>();
    var words = diff(worktree, branch, MAX_LIST_BYTES, "--name-status", "-z").text().split("\0");
    for (int i = 0; i + 1 < words.length; i += 2) {
      files.add(
          new WorktreeChange.ChangedFile(words[i + 1], STATUS.getOrDefault(words[i], "modified")));
    }
    long added = 0;
    long deleted = 0;
    for (var line : diff(worktree, branch, MAX_LIST_BYTES, "--numstat", "-z").text().split("\0")) {
      var counts = line.split("\t");
      added += count(counts, 0);
      deleted += count(counts, 1);
    }
    var patch = diff(worktree, branch, MAX_PATCH_BYTES, "--patch", "--binary", "--full-index");
    var shown = files.subList(0, Math.min(files.size(), WorktreeChange.MAX_FILES));
    var more = files.size() - shown.size();
    var change =
        new WorktreeChange(
            shown,
            (int) Math.min(added, Integer.MAX_VALUE),
            (int) Math.min(deleted, Integer.MAX_VALUE),
            patch.cut(),
            false,
            Stream.concat(notes.stream(), more(more).stream()).toList());
    return new TaskPatch(change, patch.cut() ? null : patch.output());
  }

  private static Optional<String> more(int more) {
    return more == 0
        ? Optional.empty()
        : Optional.of("More files were changed than are listed: " + more + ".");
  }

  /** Binary files have no counts. */
  private static long count(String[] counts, int at) {
    return counts.length > at
            && counts[at].chars().allMatch(Character::isDigit)
            && !counts[at].isEmpty()
        ? Long.parseLong(counts[at])
        : 0;
  }

  private Git.GitResult diff(Worktree worktree, String branch, int max, String... form)
      throws IOException {
    var arguments =
        new ArrayList<>(
            List.of("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"));
    arguments.addAll(List.of(form));
    arguments.addAll(List.of("refs/heads/" + Snapshots.BASE, "refs/heads/" + branch, "--"));
    return git.expect(
        new Git.GitCall(worktree.git(), worktree.folder(), arguments, Git.GitInput.NONE, max));
  }
}
