package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The changes that tool calls make to files, recorded before they are made (architecture, rule 9).
 */
@ApplicationScoped
public class FileChangeStore {

  private final Jdbi jdbi;
  private final Fence fence;

  FileChangeStore(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * One file to be changed.
   *
   * @param path relative to the session's workspace
   * @param before digest of the content that is replaced; null when there is no such file yet
   * @param after digest of the new content
   */
  public record Change(String path, @Nullable String before, String after) {}

  /**
   * The change that the call recorded when it was made before; empty when it did not get that far.
   */
  public Optional<Change> find(SessionId session, String callKey) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select path, before_sha256, after_sha256 from file_change
                where session_id = :session and call_key = :call
                """)
            .bind("session", session.value())
            .bind("call", callKey)
            .map((row, _) ->
                new Change(
                    row.getString("path"),
                    row.getString("before_sha256"),
                    row.getString("after_sha256")))
            .findOne());
  }

  /**
   * Records the change that the call makes next, in its own transaction.
   *
   * @throws LeaseLost the run no longer owns the session, and must not make the change
   */
  @Transactional
  public void plan(Lease lease, String callKey, Change change) {
    fence.share(lease);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                insert into file_change (session_id, call_key, path, before_sha256, after_sha256)
                values (:session, :call, :path, :before, :after)
                on conflict (session_id, call_key) do update
                set path = excluded.path, before_sha256 = excluded.before_sha256, after_sha256 = excluded.after_sha256
                """)
            .bind("session", lease.session().value())
            .bind("call", callKey)
            .bind("path", change.path())
            .bind("before", change.before())
            .bind("after", change.after())
            .execute());
  }
}
