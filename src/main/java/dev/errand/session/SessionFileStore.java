package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The files in the workspace of a session: the contents that it saw last, and the changes that its
 * tool calls make, recorded before they are made (architecture, rule 9).
 */
@Singleton
public class SessionFileStore {

  /** An index key has at most 2,700 bytes. */
  private static final int MAX_KEY_CHARS = 500;

  private final Jdbi jdbi;
  private final Fence fence;

  SessionFileStore(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * A change of a file that is recorded before it is made.
   *
   * @param path relative to the session's workspace
   * @param before digest of the content that is replaced; null when there is no such file yet
   * @param after digest of the new content
   */
  public record PendingChange(String path, @Nullable String before, String after) {}

  /**
   * Returns the digest of the content that the session saw last; empty when it never saw the file.
   */
  public Optional<String> lastSeen(SessionId session, String path) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select sha256 from seen_file where session_id = :session and path = :path")
            .bind("session", session)
            .bind("path", key(path))
            .mapTo(String.class)
            .findOne());
  }

  /**
   * Records what the session saw, in its own transaction. Idempotent.
   *
   * @throws LeaseLost the run that saw it no longer owns the session
   */
  @Transactional
  public void saw(Lease lease, String path, String sha256) {
    fence.share(lease);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                insert into seen_file (session_id, path, sha256) values (:session, :path, :sha256)
                on conflict (session_id, path) do update set sha256 = excluded.sha256
                """)
            .bind("session", lease.session())
            .bind("path", key(path))
            .bind("sha256", sha256)
            .execute());
  }

  /**
   * Returns the change that the call recorded when it was made before; empty when it did not get
   * that far.
   */
  public Optional<PendingChange> planned(SessionId session, String callKey) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select path, before_sha256 as before, after_sha256 as after from file_change
                where session_id = :session and call_key = :call
                """)
            .bind("session", session)
            .bind("call", callKey)
            .mapTo(PendingChange.class)
            .findOne());
  }

  /**
   * Records the change that the call makes next, in its own transaction.
   *
   * @throws LeaseLost the run no longer owns the session, and must not make the change
   */
  @Transactional
  public void plan(Lease lease, String callKey, PendingChange change) {
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
            .bind("session", lease.session())
            .bind("call", callKey)
            .bind("path", change.path())
            .bind("before", change.before())
            .bind("after", change.after())
            .execute());
  }

  private static String key(String path) {
    return path.length() <= MAX_KEY_CHARS
        ? path
        : "//" + UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8));
  }
}
