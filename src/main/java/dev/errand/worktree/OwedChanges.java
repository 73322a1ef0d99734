package dev.errand.worktree;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Failpoint;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The end of a task commits what the task changed, and no transaction waits for git. So a
 * transaction that ends a task with a worktree is rolled back the first time; then the patch is
 * computed, and the transaction is repeated with it.
 */
@Singleton
public class OwedChanges {

  private static final ScopedValue<Map<TaskId, Patches.TaskPatch>> COMPUTED =
      ScopedValue.newInstance();

  private final WorktreeStore worktrees;
  private final ChangeStore changes;
  private final Patches patches;

  OwedChanges(WorktreeStore worktrees, ChangeStore changes, Patches patches) {
    this.worktrees = worktrees;
    this.changes = changes;
    this.patches = patches;
  }

  /** Rolls back a transaction for which a patch has to be computed first. */
  private static final class PatchMissing extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient TaskId task;
    private final transient SessionId child;

    private PatchMissing(TaskId task, SessionId child) {
      super("the change of " + task + " is to be computed", null, false, false);
      this.task = task;
      this.child = child;
    }
  }

  /**
   * Runs a transaction that may end tasks.
   *
   * @param transaction begins and commits; is run again for each patch that it needs
   */
  public <T> T around(Supplier<T> transaction) {
    var computed = new HashMap<TaskId, Patches.TaskPatch>();
    while (true) {
      try {
        return ScopedValue.where(COMPUTED, computed).call(transaction::get);
      } catch (PatchMissing owed) {
        computed.put(owed.task, compute(owed.child));
        Failpoint.CHANGE_COMPUTED.pass();
      }
    }
  }

  /** Runs a transaction as {@link #around(Supplier)} does. */
  public void around(Runnable transaction) {
    var ignored =
        around(() -> {
          transaction.run();
          return true;
        });
  }

  /**
   * Stores the change of a task that this transaction ends.
   *
   * @param started whether the task ever ran
   */
  @Transactional(TxType.MANDATORY)
  public void save(TaskId task, SessionId child, boolean started) {
    var patch = started ? COMPUTED.orElse(Map.of()).get(task) : Patches.TaskPatch.NONE;
    if (patch == null) {
      throw new PatchMissing(task, child);
    }
    changes.save(task, child, patch.change(), patch.bytes());
  }

  private Patches.TaskPatch compute(SessionId child) {
    return worktrees
        .find(child)
        .map(row -> patches.of(row.worktree(), row.notes()))
        .orElse(Patches.TaskPatch.NONE);
  }
}
