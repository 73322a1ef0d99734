package dev.errand.auth;

import dev.errand.auth.BearerSecret.SecretKind;
import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The short-lived tokens: of one session with the sessions below it, and of a person at the
 * console.
 */
@Singleton
public class SessionTokens {

  /** A login that was not used for so long is over. */
  static final Duration LOGIN_IDLE = Duration.ofHours(8);

  private static final String INSERT =
      """
      insert into session_token (id, hash, session_id, role, tenant, key_id, created_by, expires_at)
      values (:id, :hash, :session, :role, :tenant, :key, :by, clock_timestamp() + :seconds * interval '1 second')
      returning expires_at
      """;

  private final Jdbi jdbi;
  private final Callers callers;
  private final Audit audit;

  SessionTokens(Jdbi jdbi, Callers callers, Audit audit) {
    this.jdbi = jdbi;
    this.callers = callers;
    this.audit = audit;
  }

  /** A new token, which is shown once. */
  public record CreatedToken(String token, Instant expiresAt) {}

  /** Makes a token for the current caller; it ends with the caller's key at the latest. */
  @Transactional
  public CreatedToken make(SessionId session, Duration validFor) {
    var secret = BearerSecret.next(SecretKind.TOKEN);
    var expiresAt = insert(secret, session, validFor);
    audit.record("token.create", session, "token:" + secret.id(), Map.of());
    return new CreatedToken(secret.text(), expiresAt);
  }

  /**
   * Makes a token with which the current caller is recognised as itself. It ends 8 hours after its
   * last use, and with the caller's key.
   */
  @Transactional
  public CreatedToken logIn() {
    var secret = BearerSecret.next(SecretKind.TOKEN);
    var expiresAt = insert(secret, null, LOGIN_IDLE);
    audit.record("login.create", null, "token:" + secret.id(), Map.of());
    return new CreatedToken(secret.text(), expiresAt);
  }

  /** Ends a login. Idempotent; a text that is no token ends nothing. */
  @Transactional
  public void logOut(String token) {
    BearerSecret.parse(token)
        .ifPresent(secret ->
            jdbi.useHandle(handle ->
                handle.execute(
                    "delete from session_token where id = ? and hash = ? and session_id is null",
                    secret.id(),
                    secret.hash())));
  }

  private Instant insert(BearerSecret secret, @Nullable SessionId session, Duration validFor) {
    var caller = callers.current().orElse(Caller.ANONYMOUS);
    return jdbi.withHandle(handle -> {
      handle.execute("delete from session_token where expires_at < statement_timestamp()");
      return handle
          .createQuery(INSERT)
          .bind("id", secret.id())
          .bind("hash", secret.hash())
          .bind("session", session)
          .bind("role", session == null ? caller.role() : null)
          .bind("tenant", caller.tenant())
          .bind("key", caller.keyId())
          .bind("by", caller.owner())
          .bind("seconds", validFor.toSeconds())
          .mapTo(OffsetDateTime.class)
          .one()
          .toInstant();
    });
  }
}
