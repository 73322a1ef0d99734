package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.session.NewSession;
import dev.errand.session.SessionStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.net.URI;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** The callback table: at most one per root session. Locked after the outbox. */
@ApplicationScoped
public class CallbackStore {

  private final Jdbi jdbi;
  private final SessionStore sessions;

  CallbackStore(Jdbi jdbi, SessionStore sessions) {
    this.jdbi = jdbi;
    this.sessions = sessions;
  }

  /** Creates a session together with its callback. */
  @Transactional
  public void open(NewSession session, Callback callback) {
    sessions.create(session);
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into callback (session_id, url, secret) values (?, ?, ?)",
            session.id().value(),
            callback.url().toString(),
            callback.secret().text()));
  }

  /** The session's callback; empty when it has none or it is disabled. */
  public Optional<Callback> active(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select url, secret from callback where session_id = :id and disabled_at is null")
            .bind("id", session.value())
            .map((row, _) ->
                new Callback(
                    URI.create(row.getString("url")), new WebhookSecret(row.getString("secret"))))
            .findOne());
  }

  @Transactional(TxType.MANDATORY)
  public void disable(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update callback set disabled_at = clock_timestamp() where session_id = ? and"
                + " disabled_at is null",
            session.value()));
  }

  @Transactional(TxType.MANDATORY)
  public void enable(SessionId session) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update callback set disabled_at = null where session_id = ?", session.value()));
  }
}
