package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * The patches of tasks that sessions apply, recorded before they are applied (architecture, rule
 * 9).
 */
@Singleton
public class AppliedPatchStore {

  private final Jdbi jdbi;
  private final Fence fence;

  AppliedPatchStore(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * A patch that a session applies.
   *
   * @param files as JSON
   * @param applied whether all files were changed
   */
  public record RecordedPatch(String files, boolean applied) {}

  /**
   * Returns the latest plan of the session for the patch; empty when it never applied the patch.
   */
  public Optional<RecordedPatch> find(SessionId session, TaskId task) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select files, applied_at is not null as applied from applied_patch
                where session_id = :session and task_id = :task
                """)
            .bind("session", session)
            .bind("task", task)
            .map((row, _) -> new RecordedPatch(row.getString("files"), row.getBoolean("applied")))
            .findOne());
  }

  /** Returns the tasks whose patches the session has applied, the latest first. */
  public List<TaskId> tasks(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select task_id from applied_patch
                where session_id = :session and applied_at is not null order by applied_at desc limit 100
                """)
            .bind("session", session)
            .mapTo(TaskId.class)
            .list());
  }

  /**
   * Records the changes that are made next, in its own transaction.
   *
   * @throws LeaseLost the run no longer owns the session, and must not make the changes
   */
  @Transactional
  public void plan(Lease lease, TaskId task, String files) {
    fence.share(lease);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                insert into applied_patch (session_id, task_id, files) values (:session, :task, :files::jsonb)
                on conflict (session_id, task_id) do update
                set files = excluded.files, applied_at = null
                """)
            .bind("session", lease.session())
            .bind("task", task)
            .bind("files", files)
            .execute());
  }

  /**
   * Records that all files were changed, in its own transaction. Idempotent.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void applied(Lease lease, TaskId task) {
    fence.share(lease);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                update applied_patch set applied_at = now()
                where session_id = :session and task_id = :task and applied_at is null
                """)
            .bind("session", lease.session())
            .bind("task", task)
            .execute());
  }
}
