package dev.errand.worktree;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Json;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** The folders of copies and the children that work in them. */
@Singleton
class WorktreeStore {

  /** A change that is stored only in the folder keeps it until the session is deleted. */
  private static final String NOT_NEEDED =
      """
      select task_id, folder from worktree
      where not exists (select 1 from session where id = worktree.session_id and state <> 'closed')
        and (not exists (select 1 from session where id = worktree.session_id)
          or not exists (
            select 1 from worktree_change
            where worktree_change.session_id = worktree.session_id and (truncated or unavailable)))
      limit :limit
      """;

  static final String SOME = "exists (select 1 from worktree)";

  private static final TypeReference<List<String>> NOTES = new TypeReference<>() {};

  private final Jdbi jdbi;
  private final Json json;

  WorktreeStore(Jdbi jdbi, Json json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * @param notes what the copy does not contain
   */
  record WorktreeRow(Worktree worktree, List<String> notes) {}

  @Transactional(TxType.MANDATORY)
  void insert(SessionId child, Worktree worktree, List<String> notes) {
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into worktree (session_id, task_id, folder, notes) values (?, ?, ?, ?::jsonb)",
            child,
            worktree.task(),
            worktree.folder().toString(),
            json.write(notes)));
  }

  Optional<WorktreeRow> find(SessionId child) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select task_id, folder, notes from worktree where session_id = :child")
            .bind("child", child)
            .map((row, _) ->
                new WorktreeRow(worktree(row), json.read(row.getString("notes"), NOTES)))
            .findOne());
  }

  /** Returns the folder that was made for a task. */
  Optional<Worktree> find(TaskId task) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select task_id, folder from worktree where task_id = :task")
            .bind("task", task)
            .map((row, _) -> worktree(row))
            .findOne());
  }

  /** Copies that nothing needs any more, at most {@code limit}. */
  List<Worktree> notNeeded(int limit) {
    return jdbi.withHandle(handle ->
        handle.createQuery(NOT_NEEDED).bind("limit", limit).map((row, _) -> worktree(row)).list());
  }

  /** Returns those of the tasks that have a row. */
  Set<TaskId> known(Collection<TaskId> tasks) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select task_id from worktree where task_id = any(:tasks)")
            .bindArray("tasks", TaskId.class, tasks)
            .mapTo(TaskId.class)
            .collect(Collectors.toSet()));
  }

  @Transactional
  void forget(Worktree worktree) {
    jdbi.useHandle(
        handle -> handle.execute("delete from worktree where task_id = ?", worktree.task()));
  }

  private static Worktree worktree(ResultSet row) throws SQLException {
    return new Worktree(
        new TaskId(row.getObject("task_id", UUID.class)), Path.of(row.getString("folder")));
  }

  /**
   * The folder of one copy.
   *
   * @param task that the child was created for
   */
  record Worktree(TaskId task, Path folder) {

    /** Returns the workspace of the child. */
    Path tree() {
      return folder.resolve("tree");
    }

    /** Returns the git directory of the service. */
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

    /** Returns whether this node sees the folder. */
    boolean isHere() {
      return Files.isDirectory(git()) && (isCheckedOut() || Files.notExists(mark()));
    }
  }
}
