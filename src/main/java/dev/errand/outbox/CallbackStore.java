package dev.errand.outbox;

import dev.errand.conversation.TaskId;
import dev.errand.postgres.SecretCipher;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.session.NewSession;
import dev.errand.session.SessionStore;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The callback table: at most one per root session, and one per task. A callback has the id of its
 * session or task. Locked after the outbox.
 */
@Singleton
public class CallbackStore {

  private static final String OF_SESSION =
      "insert into callback (session_id, url, secret, key_id) values (:id, :url, :secret, :key)";
  private static final String OF_TASK =
      "insert into callback (task_id, url, secret, key_id) values (:id, :url, :secret, :key)";

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
    insert(OF_SESSION, session.id().value(), callback);
  }

  /** Adds the callback of a task, in the transaction that inserts the task. */
  @Transactional(TxType.MANDATORY)
  public void add(TaskId task, Callback callback) {
    insert(OF_TASK, task.value(), callback);
  }

  private void insert(String sql, UUID id, Callback callback) {
    var secret = cipher.encrypt(callback.secret().text(), CallbackSecrets.place(id));
    jdbi.useHandle(handle ->
        handle
            .createUpdate(sql)
            .bind("id", id)
            .bind("url", callback.url().toString())
            .bind("secret", secret.text())
            .bind("key", secret.keyId())
            .execute());
  }

  /**
   * Returns a callback; empty when there is none or it is disabled.
   *
   * @param id the session or the task
   * @throws UnreadableSecret the secret cannot be decrypted
   */
  public Optional<Callback> active(UUID id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select url, secret, key_id from callback where id = :id and disabled_at is null")
            .bind("id", id)
            .map((row, _) -> new Callback(URI.create(row.getString("url")), secret(id, row)))
            .findOne());
  }

  private WebhookSecret secret(UUID id, ResultSet row) throws SQLException {
    var stored = new SecretCipher.StoredSecret(row.getString("secret"), row.getString("key_id"));
    return new WebhookSecret(cipher.decrypt(stored, CallbackSecrets.place(id)));
  }

  /**
   * Returns the receiver's host, by which concurrent posts are limited; empty without a callback.
   *
   * @param id the session or the task
   */
  public Optional<String> host(UUID id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select url from callback where id = :id and disabled_at is null")
            .bind("id", id)
            .mapTo(String.class)
            .findOne()
            .map(url -> host(url)));
  }

  /** Returns the host of a callback's URL. */
  public static String host(String url) {
    return URI.create(url).getHost().toLowerCase(Locale.ROOT);
  }

  @Transactional(TxType.MANDATORY)
  public void disable(UUID id) {
    jdbi.useHandle(handle ->
        handle.execute(
            """
            update callback set disabled_at = clock_timestamp() where id = ? and disabled_at is null
            """,
            id));
  }

  @Transactional(TxType.MANDATORY)
  public void enable(UUID id) {
    jdbi.useHandle(
        handle -> handle.execute("update callback set disabled_at = null where id = ?", id));
  }
}
