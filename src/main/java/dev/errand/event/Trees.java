package dev.errand.event;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The tree that a session belongs to. It never changes, so it is kept from when the session was
 * created or read, and looked up only for the others.
 */
@Singleton
public class Trees {

  private static final int MAX_KEPT = 50_000;

  /** Maintained by the calling thread, because waking another thread takes longer. */
  private final Cache<SessionId, SessionId> roots =
      Caffeine.newBuilder().executor(Runnable::run).maximumSize(MAX_KEPT).build();

  private final Jdbi jdbi;

  Trees(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public void keep(SessionId session, SessionId root) {
    if (roots.getIfPresent(session) == null) {
      roots.put(session, root);
    }
  }

  /** Returns the root of the session's tree; empty when the session does not exist. */
  public Optional<SessionId> rootOf(SessionId session) {
    var kept = roots.getIfPresent(session);
    if (kept != null) {
      return Optional.of(kept);
    }
    var read = read(session);
    read.ifPresent(root -> keep(session, root));
    return read;
  }

  private Optional<SessionId> read(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select root_id from session where id = :session")
            .bind("session", session)
            .mapTo(UUID.class)
            .findOne()
            .map(SessionId::new));
  }
}
