package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The content of files in the workspace that a session saw last. */
@ApplicationScoped
public class SeenFileStore {

  /** An index key has at most 2,700 bytes. */
  private static final int MAX_KEY_CHARS = 500;

  private final Jdbi jdbi;
  private final Fence fence;

  SeenFileStore(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /** The digest of the content that the session saw last; empty when it never saw the file. */
  public Optional<String> find(SessionId session, String path) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select sha256 from seen_file where session_id = :session and path = :path")
            .bind("session", session.value())
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
  public void keep(Lease lease, String path, String sha256) {
    fence.share(lease);
    jdbi.useHandle(handle ->
        handle
            .createUpdate(
                """
                insert into seen_file (session_id, path, sha256) values (:session, :path, :sha256)
                on conflict (session_id, path) do update set sha256 = excluded.sha256, seen_at = now()
                """)
            .bind("session", lease.session().value())
            .bind("path", key(path))
            .bind("sha256", sha256)
            .execute());
  }

  private static String key(String path) {
    return path.length() <= MAX_KEY_CHARS
        ? path
        : "//" + UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8));
  }
}
