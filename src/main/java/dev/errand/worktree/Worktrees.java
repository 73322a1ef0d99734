package dev.errand.worktree;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Failpoint;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.FileRules;
import dev.errand.worktree.WorktreeStore.Worktree;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Makes copies of workspaces for children, and opens them when the children run. */
@Singleton
public class Worktrees {

  private static final Logger LOG = Logger.getLogger(Worktrees.class);

  private final Git git;
  private final Snapshots snapshots;
  private final CopyTurns turns;
  private final WorktreeStore store;
  private final Folders folders;
  private final FileRules rules;
  private final Clock clock;
  private final Path dir;

  Worktrees(
      Git git,
      Snapshots snapshots,
      CopyTurns turns,
      WorktreeStore store,
      Folders folders,
      FileRules rules,
      Clock clock,
      WorktreesConfig config) {
    this.git = git;
    this.snapshots = snapshots;
    this.turns = turns;
    this.store = store;
    this.folders = folders;
    this.rules = rules;
    this.clock = clock;
    this.dir = config.dir().toAbsolutePath().normalize();
  }

  /**
   * A copy that is recorded for a task that does not exist yet.
   *
   * @param task the id that the task gets
   * @param tree the workspace of its child
   * @param notes what the copy does not contain
   */
  public record PreparedCopy(TaskId task, Path tree, List<String> notes) {}

  /**
   * Records the state of a workspace for a task that is about to be submitted, when it is its turn.
   * Uses no connection.
   *
   * @param patience how long the caller waits for its turn; null: until it comes
   * @return empty if the turn did not come in time; nothing was done
   * @throws WorktreeRefused a copy is not possible
   */
  public Optional<PreparedCopy> prepare(Path workspace, @Nullable Duration patience) {
    return turns.take(patience, () -> prepare(workspace));
  }

  private PreparedCopy prepare(Path workspace) {
    git.problem()
        .ifPresent(why -> {
          throw new WorktreeRefused("cannot be copied: " + why);
        });
    var task = TaskId.next();
    var worktree = new Worktree(task, dir.resolve(task.toString()));
    try {
      var owner =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
      Files.createDirectories(dir, owner);
      Files.createDirectory(worktree.folder(), owner);
      var notes = snapshots.recordBase(worktree, rules.workspace(workspace));
      Files.setLastModifiedTime(worktree.folder(), FileTime.from(clock.instant()));
      Failpoint.WORKTREE_RECORDED.pass();
      return new PreparedCopy(task, worktree.tree(), notes);
    } catch (ToolFailure notAllowed) {
      delete(worktree);
      throw new WorktreeRefused("cannot be copied: " + notAllowed.getMessage());
    } catch (WorktreeRefused refused) {
      delete(worktree);
      throw refused;
    } catch (IOException | UncheckedIOException failed) {
      LOG.warnf(failed, "The workspace %s could not be copied", workspace);
      delete(worktree);
      throw new WorktreeRefused("could not be copied: " + failed.getMessage());
    }
  }

  /** Deletes the copy of a submission that made no task. */
  public void discard(PreparedCopy prepared) {
    delete(new Worktree(prepared.task(), dir.resolve(prepared.task().toString())));
  }

  /** Deletes a copy. What is left is deleted later, as a stray folder. */
  private void delete(Worktree worktree) {
    try {
      folders.delete(worktree.folder());
    } catch (IOException failed) {
      LOG.warnf(failed, "The folder %s is not deleted yet", worktree.folder());
    }
  }

  /** Assigns the copy to the child that the submission creates. */
  @Transactional(TxType.MANDATORY)
  public void keep(PreparedCopy prepared, SessionId child) {
    store.insert(
        child,
        new Worktree(prepared.task(), dir.resolve(prepared.task().toString())),
        prepared.notes());
  }

  /** Returns whether a session with this workspace works in a copy. */
  public boolean isTree(Path workspace) {
    return workspace.startsWith(dir);
  }

  /** The answer whether a run can begin in its copy. */
  public sealed interface OpenedCopy {

    record Ready() implements OpenedCopy {}

    /** This node does not see the copy. */
    record CopyLost() implements OpenedCopy {}

    record OpenFailed(String why) implements OpenedCopy {}
  }

  /**
   * Makes the workspace of a run ready: the first run checks the copy out. The children of a child
   * work in its copy unless they have copies of their own.
   *
   * @param tree the workspace, for which {@link #isTree} is true
   * @param aside runs what takes long and may be interrupted; it uses no database
   */
  public OpenedCopy open(Path tree, Function<Callable<OpenedCopy>, OpenedCopy> aside) {
    var found =
        TaskId.parse(dir.relativize(tree).getName(0).toString())
            .flatMap(store::find)
            .filter(Worktree::isHere);
    if (found.isEmpty()) {
      return new OpenedCopy.CopyLost();
    }
    return found.get().isCheckedOut()
        ? new OpenedCopy.Ready()
        : aside.apply(() -> checkOut(found.get()));
  }

  private OpenedCopy checkOut(Worktree worktree) {
    try {
      snapshots.checkOut(worktree);
    } catch (IOException failed) {
      LOG.warnf(failed, "The worktree of task %s could not be checked out", worktree.task());
      return new OpenedCopy.OpenFailed(String.valueOf(failed.getMessage()));
    }
    Failpoint.WORKTREE_CHECKED_OUT.pass();
    return new OpenedCopy.Ready();
  }
}
