package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Closes sessions permanently: their content is deleted, and they accept nothing any more. */
@Singleton
public class SessionCloser {

  private static final List<String> EMPTY =
      List.of(
          "delete from tool_call where session_id = ?",
          "delete from message where session_id = ?",
          "delete from sent_request where session_id = ?",
          "delete from outgoing_message where session_id = ?",
          "delete from inbox where session_id = ?",
          "delete from todo where session_id = ?",
          "delete from seen_file where session_id = ?",
          "delete from file_change where session_id = ?");

  private static final String REDACT_NOTICE =
      """
      update message set content = '[{"type": "text", "text": "(deleted: cleanup delete)"}]'
      where delivery_id = :outbox
      """;

  private final Jdbi jdbi;

  SessionCloser(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Blanks the notice that an external session got from an outbox row. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void redactNotice(UUID outbox) {
    jdbi.useHandle(handle -> handle.createUpdate(REDACT_NOTICE).bind("outbox", outbox).execute());
  }

  /** Closes a session that is not driven; called after its row was locked. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void close(SessionId id) {
    jdbi.useHandle(handle -> {
      EMPTY.forEach(sql -> handle.execute(sql, id));
      handle.execute(
          """
          update session
          set state = 'closed', updated_at = now(), error_code = null, error_message = null, error_at = null
          where id = ? and state <> 'closed'
          """,
          id);
    });
  }
}
