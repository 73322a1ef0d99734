package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Closes sessions permanently: their content is deleted, and they accept nothing any more. */
@ApplicationScoped
public class SessionCloser {

  private static final List<String> EMPTY =
      List.of(
          "delete from tool_call where session_id = ?",
          "delete from message where session_id = ?",
          "delete from inbox where session_id = ?",
          "delete from todo where session_id = ?");

  private final Jdbi jdbi;

  SessionCloser(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Closes a session that is not driven; called after its row was locked. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void close(SessionId id) {
    jdbi.useHandle(handle -> {
      EMPTY.forEach(sql -> handle.execute(sql, id.value()));
      handle.execute(
          "update session set state = 'closed', updated_at = now() where id = ? and state <>"
              + " 'closed'",
          id.value());
    });
  }
}
