package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.Word;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A session that this transaction has locked to put results into it.
 *
 * @param stoppedAt when it was cancelled; null when it never was, or a client's message or {@code
 *     resume} has started it again
 */
public record LockedParent(
    SessionId id,
    SessionKind kind,
    SessionState state,
    @Nullable WaitReason waitsFor,
    boolean isRoot,
    @Nullable Instant stoppedAt) {

  private static final String LOCK =
      """
      select id, kind, state, waits_for, parent_id is null as root, stopped_at
      from session where id = any(:ids) order by id for no key update
      """;

  private static final String LOCK_FREE =
      """
      select id, kind, state, waits_for, parent_id is null as root, stopped_at
      from session where id = any(:ids) order by id for no key update skip locked
      """;

  /** Returns whether it is a child, and the service runs its loop. */
  public boolean isHostedChild() {
    return kind == SessionKind.HOSTED && !isRoot;
  }

  /**
   * Adds to a pipeline what locks sessions, in the order of their ids. A session that does not
   * exist is left out.
   *
   * @param waits for sessions that other transactions have locked; otherwise they are left out, too
   */
  public static Pipeline.Rows<LockedParent> lock(
      Pipeline pipeline, List<SessionId> ids, boolean waits) {
    return pipeline.query(
        Statement.of(waits ? LOCK : LOCK_FREE).bindArray("ids", "uuid", ids.stream()),
        (row, _) -> parent(row));
  }

  private static LockedParent parent(ResultSet row) throws SQLException {
    return new LockedParent(
        new SessionId(row.getObject("id", UUID.class)),
        Word.of(SessionKind.class, row.getString("kind")),
        Word.of(SessionState.class, row.getString("state")),
        waitsFor(row.getString("waits_for")),
        row.getBoolean("root"),
        instant(row.getTimestamp("stopped_at")));
  }

  private static @Nullable WaitReason waitsFor(@Nullable String word) {
    return word == null ? null : Word.find(WaitReason.class, word).orElse(null);
  }

  private static @Nullable Instant instant(@Nullable Timestamp time) {
    return time == null ? null : time.toInstant();
  }
}
