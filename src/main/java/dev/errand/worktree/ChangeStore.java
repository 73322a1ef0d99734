package dev.errand.worktree;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The changes of tasks in their worktrees, stored with their ends. */
@Singleton
public class ChangeStore {

  private static final String SAVE =
      """
      insert into worktree_change (task_id, session_id, patch, files, insertions, deletions, truncated, unavailable, notes)
      values (:task, :child, :patch, :files::jsonb, :insertions, :deletions, :truncated, :unavailable, :notes::jsonb)
      """;

  private final Jdbi jdbi;
  private final Json json;

  ChangeStore(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * Stores the change of a task that this transaction ends.
   *
   * @param patch as git writes it; null when it is too large or the folder could not be read
   */
  @Transactional(TxType.MANDATORY)
  void save(TaskId task, SessionId child, WorktreeChange change, byte @Nullable [] patch) {
    jdbi.useHandle(handle ->
        handle
            .createUpdate(SAVE)
            .bind("task", task)
            .bind("child", child)
            .bind("patch", patch)
            .bind("files", json.write(change.files()))
            .bind("insertions", change.insertions())
            .bind("deletions", change.deletions())
            .bind("truncated", change.truncated())
            .bind("unavailable", change.unavailable())
            .bind("notes", json.write(change.notes()))
            .execute());
  }

  /**
   * Returns the patch of a task, with paths relative to the workspace; empty when none is stored.
   */
  public Optional<byte[]> patch(TaskId task) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select patch from worktree_change where task_id = :task and patch is not null")
            .bind("task", task)
            .mapTo(byte[].class)
            .findOne());
  }

  /**
   * The changes of a task in its worktree, relative to the base.
   *
   * @param files at most {@link #MAX_FILES}, by path
   * @param truncated the patch is too large to be stored; the folder is kept
   * @param unavailable the node that ended the task could not read the folder
   * @param notes what the copy and the patch do not contain, as sentences
   */
  public record WorktreeChange(
      List<ChangedFile> files,
      int insertions,
      int deletions,
      boolean truncated,
      boolean unavailable,
      List<String> notes) {

    /** More files are counted in a note. */
    public static final int MAX_FILES = 500;

    /** A task that never started has changed nothing. */
    static final WorktreeChange NONE = new WorktreeChange(List.of(), 0, 0, false, false, List.of());

    /**
     * A changed file.
     *
     * @param path relative to the workspace, with {@code /}
     * @param status {@code added}, {@code modified} or {@code deleted}
     */
    public record ChangedFile(String path, String status) {}

    public WorktreeChange {
      files = List.copyOf(files);
      notes = List.copyOf(notes);
    }

    static WorktreeChange unavailable(String why) {
      return new WorktreeChange(List.of(), 0, 0, false, true, List.of(why));
    }
  }
}
