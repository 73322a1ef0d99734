package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.SecretCipher;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.session.NewSession;
import dev.errand.session.SessionStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The callback table: at most one per root session. Locked after the outbox. */
@ApplicationScoped
public class CallbackStore {

  private final Jdbi jdbi;
  private final SessionStore sessions;
  private final SecretCipher cipher;

  CallbackStore(Jdbi jdbi, SessionStore sessions, SecretCipher cipher) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.cipher = cipher;
  }

  /** Creates a session together with its callback. */
  @Transactional
  public void open(NewSession session, Callback callback) {
    sessions.create(session);
    var id = session.id().value();
    var secret = cipher.encrypt(callback.secret().text(), CallbackSecrets.place(id));
    jdbi.useHandle(handle ->
        handle.execute(
            "insert into callback (session_id, url, secret, key_id) values (?, ?, ?, ?)",
            id,
            callback.url().toString(),
            secret.text(),
            secret.keyId()));
  }

  /**
   * The session's callback; empty when it has none or it is disabled.
   *
   * @throws UnreadableSecret the secret cannot be decrypted
   */
  public Optional<Callback> active(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select url, secret, key_id from callback where session_id = :id and disabled_at is"
                    + " null")
            .bind("id", session.value())
            .map((row, _) ->
                new Callback(URI.create(row.getString("url")), secret(session.value(), row)))
            .findOne());
  }

  private WebhookSecret secret(UUID session, ResultSet row) throws SQLException {
    var stored = new SecretCipher.Stored(row.getString("secret"), row.getString("key_id"));
    return new WebhookSecret(cipher.decrypt(stored, CallbackSecrets.place(session)));
  }

  /** The receiver's host, by which concurrent posts are limited; empty without a callback. */
  public Optional<String> lane(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select url from callback where session_id = :id and disabled_at is null")
            .bind("id", session.value())
            .mapTo(String.class)
            .findOne()
            .map(url -> URI.create(url).getHost().toLowerCase(Locale.ROOT)));
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
