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

/** The short-lived tokens that can use one session and the sessions below it. */
@Singleton
public class SessionTokens {

  private static final String INSERT =
      """
      insert into session_token (id, hash, session_id, tenant, key_id, created_by, expires_at)
      values (:id, :hash, :session, :tenant, :key, :by, clock_timestamp() + :seconds * interval '1 second')
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
    var caller = callers.current().orElse(Caller.ANONYMOUS);
    var expiresAt =
        jdbi.withHandle(handle -> {
          handle.execute("delete from session_token where expires_at < statement_timestamp()");
          return handle
              .createQuery(INSERT)
              .bind("id", secret.id())
              .bind("hash", secret.hash())
              .bind("session", session)
              .bind("tenant", caller.tenant())
              .bind("key", caller.keyId())
              .bind("by", caller.owner())
              .bind("seconds", validFor.toSeconds())
              .mapTo(OffsetDateTime.class)
              .one()
              .toInstant();
        });
    audit.record("token.create", session, "token:" + secret.id(), Map.of());
    return new CreatedToken(secret.text(), expiresAt);
  }
}
